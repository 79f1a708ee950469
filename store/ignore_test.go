package store

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestIgnorePatterns(t *testing.T) {
	for _, tc := range []struct {
		pattern, path string
		folder, want  bool
	}{
		{"a.md", "x/a.md", false, true},
		{"/a.md", "x/a.md", false, false},
		{"x/a.md", "y/x/a.md", false, false},
		{"**/x/a.md", "y/x/a.md", false, true},
		{"build/", "build", true, true},
		{"build/", "build", false, false},
		{"x/**", "x", true, false},
		{"x/**", "x/y/z.md", false, true},
		{"x/**/z.md", "x/z.md", false, true},
		{"x/**/z.md", "x/a/b/z.md", false, true},
		{"x**y", "xaay", false, true},
		{"*.md", "a/b.md", false, true},
		{"a/*.md", "a/b/c.md", false, false},
		{"?.md", "é.md", false, false}, // two bytes, as in git
		{"[a-c]x", "bx", false, true},
		{"[!a-c]x", "bx", false, false},
		{"[]x]", "]", false, true},
		{"[[:digit:]]*", "7up.md", false, true},
		{`\#a`, "#a", false, true},
		{`\!a`, "!a", false, true},
		{`a\ `, "a ", false, true},
		{"a   ", "a", false, true},
		{"#a", "#a", false, false},
		{"[a", "[a", false, false},
		{`a\`, `a\`, false, false},
		{"", "a", false, false},
		{"/", "a", true, false},
		{strings.Repeat("*a", 40) + "b", strings.Repeat("a", 4000), false, false}, // not exponential
	} {
		if got := parseIgnores([]byte(tc.pattern), "", nil).match(tc.path, tc.folder); got != tc.want {
			t.Errorf("%.40q against %.40q (folder %v): %v", tc.pattern, tc.path, tc.folder, got)
		}
	}
}

// strayStars is a ** that does not fill its part. Git's manual calls it a plain
// star, and we take it so; git itself does not where only letters stand before.
var strayStars = regexp.MustCompile(`[^/!*]\*\*`)

// TestIgnoreAgreesWithGit draws rule files and a tree, and asks git which of its
// files are ignored.
func TestIgnoreAgreesWithGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	if out, err := exec.Command("git", "-C", dir, "init", "-q").CombinedOutput(); err != nil {
		t.Skipf("git init: %v: %s", err, out)
	}
	var files []string
	for _, d := range []string{"", "a/", "a/b/", "ab/", "b/a/b/", "a b/", "[a]/"} {
		for _, f := range []string{"a", "b", "ab", "a.b", "b ", "-", "a]b"} {
			files = append(files, d+f+".x")
		}
	}
	write(t, dir, files...)
	pieces := rapid.SampledFrom([]string{"a", "b", "x", "*", "**", "?", "/", "/", ".", "[ab]", "[!a]", "[a-c", "]", "-",
		"[]a]", "[^]a]", "[[:alpha:]]", "[[:nope:]]", `\`, `\*`, " ", "a/", "*/", "**/", "/**", ".x", "ab", "[b-]", "[-b]"})
	line := rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{"", "", "", "!", "/", "#", `\#`, `\!`}).Draw(t, "head") +
			strings.Join(rapid.SliceOfN(pieces, 0, 5).Draw(t, "pieces"), "")
	}).Filter(func(s string) bool { return !strayStars.MatchString(s) })
	rules := rapid.SliceOfN(line, 0, 4)
	rapid.Check(t, func(rt *rapid.T) {
		var above *ignores
		per := map[string]*ignores{}
		for _, d := range []string{"", "a/", "a/b/"} {
			raw := strings.Join(rules.Draw(rt, "rules of "+d), "\n")
			if err := os.WriteFile(filepath.Join(dir, d, ".gitignore"), []byte(raw), 0o644); err != nil {
				rt.Fatal(err)
			}
			above = parseIgnores([]byte(raw), d, above)
			per[d] = above
		}
		var want []string
		for _, f := range files {
			if ignoredAt(per, f) {
				want = append(want, f)
			}
		}
		if got := gitIgnored(t, dir, files); !slices.Equal(got, want) {
			rt.Fatalf("git ignores %q\nwe do      %q", got, want)
		}
	})
}

// ignoredAt walks down to a path as List does.
func ignoredAt(per map[string]*ignores, path string) bool {
	ig := per[""]
	for i, c := range path {
		if c != '/' {
			continue
		}
		if ig.match(path[:i], true) {
			return true
		}
		if own := per[path[:i+1]]; own != nil {
			ig = own
		}
	}
	return ig.match(path, false)
}

func gitIgnored(t *testing.T, dir string, files []string) []string {
	cmd := exec.Command("git", "-C", dir, "-c", "core.excludesFile=", "check-ignore", "--stdin", "-z", "--no-index")
	cmd.Stdin = strings.NewReader(strings.Join(files, "\x00") + "\x00")
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		t.Fatalf("git check-ignore: %v", err)
	}
	var got []string
	for f := range bytes.SplitSeq(out, []byte{0}) {
		if len(f) > 0 {
			got = append(got, string(f))
		}
	}
	return got
}
