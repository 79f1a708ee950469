package llm

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
)

func TestStaticArtefactIsTheOneNamed(t *testing.T) {
	sum := sha256.Sum256(staticArtefact)
	if got := hex.EncodeToString(sum[:]); got != staticSum {
		t.Errorf("SHA-256 of the artefact is %s, the fingerprint says %s", got, staticSum)
	}
	e, err := Static()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := e.Info().Fingerprint, "static/enzh-256/8bec40977070"; got != want {
		t.Errorf("fingerprint %s, want %s: this re-embeds every vault", got, want)
	}
}
