package text

import (
	"bufio"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/kljensen/snowball/english"
)

func stemOf(w string) string { return string(stem([]byte(w))) }

// From the vocabulary that Snowball publishes with the algorithm.
func TestStemKnownAnswers(t *testing.T) {
	for word, want := range map[string]string{
		"consign": "consign", "consigned": "consign", "consigning": "consign", "consignment": "consign",
		"consist": "consist", "consistency": "consist", "consistently": "consist", "consolations": "consol",
		"conspicuous": "conspicu", "knightly": "knight", "knocked": "knock", "knots": "knot",
		"caresses": "caress", "ties": "tie", "cries": "cri", "gas": "gas", "gaps": "gap", "kiwis": "kiwi",
		"luxuriated": "luxuri", "hopping": "hop", "hoping": "hope", "agreed": "agre", "feed": "feed",
		"say": "say", "by": "by", "cry": "cri", "relational": "relat", "generalization": "general",
		"generate": "generat", "communism": "communism", "arsenal": "arsenal", "sensitivity": "sensit",
		"happily": "happili", "skies": "sky", "dying": "die", "news": "news", "proceeding": "proceed",
		"databases": "databas", "database": "databas", "running": "run", "runs": "run", "youth": "youth",
		"controll": "control", "a": "a", "is": "is",
	} {
		if got := stemOf(word); got != want {
			t.Errorf("stem(%q) = %q, want %q", word, got, want)
		}
	}
}

// TestStemAgainstSnowball compares with an independent implementation on
// every English word of a corpus.
func TestStemAgainstSnowball(t *testing.T) {
	dir := os.Getenv("BRAIN_DATA")
	if dir == "" {
		t.Skip("BRAIN_DATA does not name the folder of public data sets: stems are not compared with another implementation")
	}
	words, differ := corpusWords(t, filepath.Join(dir, "scifact", "docs.jsonl.gz")), 0
	for w := range words {
		if got, want := stemOf(w), english.Stem(w, true); got != want {
			if differ++; differ <= 20 {
				t.Errorf("stem(%q) = %q, other implementation %q", w, got, want)
			}
		}
	}
	t.Logf("%d words, %d differ", len(words), differ)
}

func corpusWords(t *testing.T, path string) map[string]bool {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	words := make(map[string]bool)
	sc := bufio.NewScanner(z)
	sc.Buffer(nil, 1<<24)
	for sc.Scan() {
		Terms(sc.Text(), func(tm Term) {
			if isLetters(tm.Text) && len(tm.Text) < maxRunes && tm.Kind != Stem {
				words[string(tm.Text)] = true
			}
		})
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	return words
}
