package store

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"brain/page"
)

const (
	crowd     = 20 // processes
	crowdEach = 50 // pages of each
)

// 20 processes add 50 pages each at the same time, under names of their own and
// all under one name: 1,000 pages, each with its own text.
func TestTwentyProcessesAddAThousandPages(t *testing.T) {
	for _, name := range []string{"their own names", "one name"} {
		t.Run(name, func(t *testing.T) {
			st, dir := newBrain(t)
			began := time.Now()
			waits := runCrowd(t, rootOf(st), name == "one name")
			took := time.Since(began)
			l := list(t, st)
			if len(l.Files) != crowd*crowdEach {
				t.Errorf("%d pages", len(l.Files))
			}
			texts := map[string]bool{}
			for _, f := range l.Files {
				raw, err := st.Read(context.Background(), f.Path)
				if err != nil {
					t.Fatal(err)
				}
				texts[string(raw)] = true
			}
			for id := range crowd {
				for n := range crowdEach {
					if !texts[crowdText(id, n)] {
						t.Errorf("page %d of process %d is lost", n, id)
					}
				}
			}
			wantClean(t, dir)
			slices.Sort(waits)
			t.Logf("%d processes × %d pages: %v; one add: median %v, p95 %v, longest %v", crowd, crowdEach, took.Round(time.Millisecond),
				waits[len(waits)/2], waits[len(waits)*95/100], waits[len(waits)-1])
		})
	}
}

func crowdText(id, n int) string { return fmt.Sprintf("第 %d 页 of process %d\n", n, id) }

func runCrowd(t *testing.T, root string, oneName bool) (waits []time.Duration) {
	t.Helper()
	var mu sync.Mutex
	var wg sync.WaitGroup
	for id := range crowd {
		wg.Go(func() {
			out, err := as(t, "crowd", root, fmt.Sprint("STORE_TEST_ID=", id), fmt.Sprint("STORE_TEST_ONE=", oneName)).Output()
			if err != nil {
				t.Errorf("process %d: %v", id, err)
			}
			mu.Lock()
			defer mu.Unlock()
			for sc := bufio.NewScanner(strings.NewReader(string(out))); sc.Scan(); {
				d, err := time.ParseDuration(sc.Text())
				if err != nil {
					t.Error(err)
				}
				waits = append(waits, d)
			}
		})
	}
	wg.Wait()
	if len(waits) != crowd*crowdEach {
		t.Fatalf("%d adds were answered", len(waits))
	}
	return waits
}

// crowdRole adds its pages and prints how long each took.
func crowdRole(root string) error {
	st, err := openDefault(root)
	if err != nil {
		return err
	}
	id, err := strconv.Atoi(os.Getenv("STORE_TEST_ID"))
	if err != nil {
		return err
	}
	for n := range crowdEach {
		p := page.Path(fmt.Sprintf("notes/process %d 页 %d.md", id, n))
		if os.Getenv("STORE_TEST_ONE") == "true" {
			p = "notes/会议 notes.md"
		}
		began := time.Now()
		if err := st.Update(context.Background(), "add", func(tx *Tx) error {
			_, err := tx.AddNew(p, []byte(crowdText(id, n)))
			return err
		}); err != nil {
			return err
		}
		fmt.Println(time.Since(began).Round(time.Microsecond))
	}
	return nil
}
