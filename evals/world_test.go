package evals

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"

	"brain/page"
)

// worldDigest is SHA-256 over path, NUL, bytes, NUL of every page in the order
// of the paths. The questions of testdata/relations were written for these
// pages: another digest needs other questions.
const worldDigest = "ff80bddd4766e3a251feb4618e8b82ab3b4980b1d6c325c99776bf0e0f63c8ab"

func (w *WorldTree) digest() string {
	h := sha256.New()
	for _, p := range slices.Sorted(maps.Keys(w.Pages)) {
		h.Write([]byte(p + "\x00"))
		h.Write(w.Pages[p])
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))
}

func TestWorldIsStable(t *testing.T) {
	w := World(WorldSeed)
	if len(w.Pages) != 300 {
		t.Errorf("%d pages", len(w.Pages))
	}
	if got := w.digest(); got != worldDigest {
		t.Errorf("digest %s, recorded %s", got, worldDigest)
	}
	if World(WorldSeed+1).digest() == worldDigest {
		t.Error("another seed makes the same pages")
	}
	for seed := range uint64(20) {
		if n := len(World(seed).Pages); n != 300 {
			t.Errorf("seed %d: %d pages", seed, n)
		}
	}
}

// parsed reads a tree's pages and gives each name the page it stands for. A
// name that two pages bear at the same rank stands for none.
func parsed(pages map[string][]byte) (ps map[string]*page.Page, names map[string]string) {
	ps, names = map[string]*page.Page{}, map[string]string{}
	kinds := map[string]page.NameKind{}
	for _, p := range slices.Sorted(maps.Keys(pages)) {
		ps[p] = page.Parse(page.Path(p), pages[p])
		for _, n := range ps[p].Names() {
			key := strings.ToLower(n.Text)
			have, taken := kinds[key]
			switch {
			case !taken || n.Kind < have:
				kinds[key], names[key] = n.Kind, p
			case n.Kind == have && names[key] != p:
				names[key] = ""
			}
		}
	}
	return ps, names
}

// linkedBy lists the pages that a page links, and the targets that lead nowhere.
func linkedBy(p *page.Page, names map[string]string) (to []string, broken []string) {
	for _, l := range p.Links {
		hit := ""
		for _, c := range l.Candidates(p.Path) {
			if hit = names[strings.ToLower(c)]; hit != "" {
				break
			}
		}
		if hit == "" {
			broken = append(broken, l.Target)
		} else {
			to = append(to, hit)
		}
	}
	return to, broken
}

// Every link of the world leads somewhere, and every page links what it is
// said to relate or deny, and nothing else.
func TestWorldLinksAreItsRelations(t *testing.T) {
	w := World(WorldSeed)
	ps, names := parsed(w.Pages)
	truth := map[string]map[string]bool{}
	for _, r := range slices.Concat(w.Relations, w.Denied) {
		other := r.To
		if r.Page == r.To {
			other = r.From
		}
		if r.Page != r.From && r.Page != r.To {
			t.Errorf("stated by a third page: %v", r)
		}
		if truth[r.Page] == nil {
			truth[r.Page] = map[string]bool{}
		}
		truth[r.Page][other] = true
	}
	for path, p := range ps {
		if len(p.Problems) > 0 {
			t.Errorf("%s: %v", path, p.Problems)
		}
		to, broken := linkedBy(p, names)
		if len(broken) > 0 {
			t.Errorf("%s: links without a page: %q", path, broken)
		}
		for _, o := range to {
			if !truth[path][o] {
				t.Errorf("%s links %s without a relation", path, o)
			}
		}
		for o := range truth[path] {
			if !slices.Contains(to, o) {
				t.Errorf("%s does not link %s", path, o)
			}
		}
	}
}

// What is denied is not said elsewhere, no relation is listed twice, and all
// kinds occur in both languages and in each form.
func TestWorldRelations(t *testing.T) {
	w := World(WorldSeed)
	type edge struct{ from, typ, to string }
	seen := map[edge]bool{}
	types := map[string]int{}
	for _, r := range w.Relations {
		e := edge{r.From, r.Type, r.To}
		if seen[e] && r.Type != "mentions" {
			t.Errorf("twice: %v", r)
		}
		seen[e] = true
		types[r.Type]++
	}
	for _, r := range w.Denied {
		if seen[edge{r.From, r.Type, r.To}] {
			t.Errorf("said and denied: %v", r)
		}
	}
	for _, typ := range []string{"mentions", "references", "decided", "produced_by", "works_on", "belongs_to", "works_at", "founded", "invested_in", "advises", "attended"} {
		if types[typ] < 30 {
			t.Errorf("%d relations %s", types[typ], typ)
		}
	}
	forms := map[string]int{}
	for _, raw := range w.Pages {
		lang := "en"
		if strings.ContainsFunc(string(raw[:min(len(raw), 40)]), isHan) {
			lang = "zh"
		}
		forms["pages "+lang]++
		forms["matter "+lang] += bytes.Count(raw, []byte("    type: "))
		forms["list "+lang] += bytes.Count(raw, []byte("\n- "))
	}
	for form, n := range forms {
		if n < 30 {
			t.Errorf("%s: %d", form, n)
		}
	}
	if n := forms["pages zh"]; n < 135 || n > 165 {
		t.Errorf("%d Chinese pages", n)
	}
}

// Pages are long enough to compete with each other.
func TestWorldPagesHaveText(t *testing.T) {
	for path, raw := range World(WorldSeed).Pages {
		p := page.Parse(page.Path(path), raw)
		if strings.Contains(string(raw), "\nredirect: ") {
			continue
		}
		words := len(strings.Fields(p.Body))
		for _, r := range p.Body {
			if isHan(r) {
				words++
			}
		}
		if words < 100 || words > 600 {
			t.Errorf("%s: %d words", path, words)
		}
		if strings.Contains(string(raw), "{") {
			t.Errorf("%s: a slot is left open", path)
		}
	}
}

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) }
