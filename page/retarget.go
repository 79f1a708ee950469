package page

import (
	"path"
	"strings"

	"brain/text"
)

// Move says where a page goes. Unique reports that the file name it will have leads
// to it alone.
type Move struct {
	From, To Path
	Unique   bool
}

// at is where a page is after the move.
func (m Move) at(p Path) Path {
	if p == m.From {
		return m.To
	}
	return p
}

// Retarget gives what a link on the page on has to say after the move, when it
// leads to the page to (both as before the move): the page that holds it, or the
// one it leads to, may be the one that moves. The way in which it names its
// target stays: relative or from the root, bare name, with or without .md.
// change is false where it leads right as it is, as a title or an alias does.
func (m Move) Retarget(on Path, l Link, to Path) (target string, change bool) {
	here, there := m.at(on), m.at(to)
	if here == on && there == to {
		return "", false
	}
	old := strings.TrimSpace(strings.ReplaceAll(l.Target, `\`, "/"))
	dotted := strings.HasPrefix(old, "./") || strings.HasPrefix(old, "../")
	switch {
	case old == "":
		return "", false
	case strings.HasPrefix(old, "/"):
		if !denotes(strings.TrimLeft(old, "/"), to) && !m.lost(old, to) {
			return "", false
		}
		target = "/" + string(there)
	case l.Kind != Markdown && !strings.Contains(old, "/"):
		if there == to || !sameName(trimMD(old), to.Stem()) || m.Unique && sameName(to.Stem(), there.Stem()) {
			return "", false
		}
		if target = there.Stem() + ".md"; !m.Unique {
			target = string(there)
		}
	default:
		relative := denotes(path.Join(on.Dir(), old), to)
		rooted := denotes(old, to)
		if !relative && !rooted && m.lost(old, to) {
			relative, rooted = l.Kind == Markdown || dotted, l.Kind != Markdown && !dotted
		}
		switch {
		case relative && (l.Kind == Markdown || dotted || !rooted):
			target = relativeTo(here.Dir(), string(there))
			if (l.Kind != Markdown && dotted || strings.HasPrefix(old, "./")) && !strings.HasPrefix(target, "../") {
				target = "./" + target
			}
		case rooted:
			target = string(there)
		default:
			return "", false
		}
	}
	if !hasMD(old) {
		target = trimMD(target)
	}
	return target, target != old
}

// lost reports a path that led to a page by its file name alone, since nothing lies
// there, and does so no more after the move.
func (m Move) lost(written string, to Path) bool {
	name := Path(strings.TrimSuffix(written, "/")).Stem()
	return to == m.From && sameName(name, to.Stem()) && !(m.Unique && sameName(to.Stem(), m.To.Stem()))
}

// denotes reports whether a path written in a link is that of a page, or of the
// folder whose index it is.
func denotes(written string, p Path) bool {
	want := trimMD(string(p))
	written = strings.TrimSuffix(path.Clean(written), "/")
	if sameName(trimMD(written), want) {
		return true
	}
	switch p.Stem() {
	case "index", "README":
		return sameName(written, p.Dir())
	}
	return false
}

func sameName(a, b string) bool { return a == b || text.Fold(a) == text.Fold(b) }

// relativeTo is the way from a folder to a path, both from the brain's root.
func relativeTo(folder, to string) string {
	var from []string
	if folder != "" {
		from = strings.Split(folder, "/")
	}
	parts := strings.Split(to, "/")
	same := 0
	for same < len(from) && same < len(parts)-1 && from[same] == parts[same] {
		same++
	}
	return strings.Repeat("../", len(from)-same) + strings.Join(parts[same:], "/")
}
