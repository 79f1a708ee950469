package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// 20 people add pages at the same time, one `brain add` after the other, under
// titles of their own and all under one title: no page is lost, none written
// over, and the index knows all of them.
func TestTwentyAtOnceAddPages(t *testing.T) {
	const people = 20
	for name, each := range map[string]int{"titles of their own": 50, "one title": 10} {
		if testing.Short() {
			each = 5
		}
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			brainCmd(t, root, "init", "--brain", "default", "--git", "no")
			var mu sync.Mutex
			var took []time.Duration
			var wg sync.WaitGroup
			began := time.Now()
			for i := range people {
				wg.Go(func() {
					for n := range each {
						title := "会议 notes"
						if name == "titles of their own" {
							title = fmt.Sprintf("Page %d of 第 %d 人", n, i)
						}
						start := time.Now()
						out, err := exec.Command("brain", "--root", root, "add", "--force", "--title", title, "--text", crowdText(i, n)).CombinedOutput()
						if err != nil {
							t.Errorf("%v: %s", err, out)
						}
						mu.Lock()
						took = append(took, time.Since(start))
						mu.Unlock()
					}
				})
			}
			wg.Wait()
			all := time.Since(began)
			slices.Sort(took)
			t.Logf("%d × %d pages: %v; one command: median %v, p95 %v, longest %v", people, each, all.Round(time.Millisecond),
				took[len(took)/2].Round(time.Millisecond), took[len(took)*95/100].Round(time.Millisecond), took[len(took)-1].Round(time.Millisecond))
			texts := crowdTexts(t, root)
			for i := range people {
				for n := range each {
					if !texts[crowdText(i, n)] {
						t.Errorf("lost: %s", crowdText(i, n))
					}
				}
			}
			if len(texts) != people*each {
				t.Errorf("%d pages", len(texts))
			}
			brainCmd(t, root, "sync")
			brainCmd(t, root, "check", "--deep")
		})
	}
}

func crowdText(i, n int) string { return fmt.Sprintf("Text %d of person %d 的文字.", n, i) }

// crowdTexts are the last lines of all pages.
func crowdTexts(t *testing.T, root string) map[string]bool {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root, "brains/default/sources/default/notes/*.md"))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]bool{}
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
		texts[lines[len(lines)-1]] = true
	}
	return texts
}
