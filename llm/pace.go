package llm

import "sync"

// pace learns how many texts a server takes in one request. A server that refuses 64
// may take 32, or only one while it is short of memory: the size halves when a batch
// fails and doubles again after a row of full batches that went well. A size that
// failed when it was tried anew is tried less and less often, so that a fixed limit
// costs next to nothing and a passing trouble leaves no trace.
type pace struct {
	mu     sync.Mutex
	size   int // texts in the next request
	most   int // never more than this
	row    int // full batches that went well since size last changed
	wanted int // length of the row after which to try more
	trying bool
}

const (
	firstRow   = 4
	longestRow = 1024
)

func newPace(most int) *pace { return &pace{size: most, most: most, wanted: firstRow} }

func (p *pace) next() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.size
}

// succeeded notes a request of n texts that was answered.
func (p *pace) succeeded(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n < p.size || p.size == p.most {
		return
	}
	p.trying = false
	if p.row++; p.row >= p.wanted {
		p.size, p.row, p.trying = min(2*p.size, p.most), 0, true
	}
}

// failed notes a request of n texts that failed and may succeed in parts.
func (p *pace) failed(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n > p.size || n < 2 {
		return
	}
	if p.trying {
		p.wanted = min(2*p.wanted, longestRow)
	}
	p.size, p.row, p.trying = max(n/2, 1), 0, false
}

// limit sets the most texts in a request, and begins anew with that many.
func (p *pace) limit(most int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.most, p.size, p.row, p.trying = most, most, 0, false
}
