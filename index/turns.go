package index

import (
	"encoding/binary"
	"slices"
	"sort"
	"strings"
	"time"

	"brain/page"
	"brain/text"
)

// A session is one row: it is found, filtered and dropped as a whole. But what
// answers a question is a turn, and a turn alone is too little text. So the
// row keeps, behind its strings, which turn holds which term:
//
//	turns     u32 count, then 24 bytes each: offset in the file u32, words u32,
//	          chunks u32, speaker u16, role u8, flags u8, time i64
//	terms     u32 count, then 8 bytes each: hash u32, turn << 8 | count u32;
//	          sorted by hash, then turn
//	speakers  uvarint length and name, each
//
// A speaker is a name, not a role: noSpeaker where only the role is known. A
// count is 255 at most, where BM25 has long been saturated.
//
// From this the turns of a session that the arms brought are scored without
// its file: by their own words and by those of the turns around them, with
// statistics of turns. (Postings of turns in bleve would be as large, and
// would have to be gathered by session again.)
const (
	turnSize = 24
	pairSize = 8

	turnWindow = 2 // turns on each side that count as context

	countBits = 8
	maxCount  = 1<<countBits - 1
	maxTurns  = 1 << (32 - countBits) // those after it are found with their session only
	noSpeaker = 1<<16 - 1
)

// Flags of a turn.
const turnAsks = 1 // it ends with a question

// role is who speaks, as far as it matters.
type role uint8

const (
	roleOther role = iota
	roleUser
	roleAssistant
)

func roleOf(s string) role {
	switch strings.ToLower(s) {
	case "user", "human":
		return roleUser
	case "assistant", "model", "ai":
		return roleAssistant
	}
	return roleOther
}

// termHash is what stands for a term of a turn.
func termHash(t []byte) uint32 {
	h := uint32(2166136261)
	for _, c := range t {
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}

// pair is a term of a turn: hash << 32 | turn << countBits | count.
type pair uint64

// appendTurns encodes the turns of a session.
func appendTurns(b []byte, p *page.Page) []byte {
	le := binary.LittleEndian
	turns := p.Turns[:min(len(p.Turns), maxTurns)]
	chunks := make([]uint32, len(p.Turns)+1)
	for _, c := range p.Chunks() {
		chunks[c.Turn]++
	}
	var pairs []pair
	speakers := newSpeakers()
	count := map[uint32]int{}
	b = le.AppendUint32(b, uint32(len(turns)))
	for i := range turns {
		t := &turns[i]
		clear(count)
		words := t.Terms(func(t text.Term) { count[termHash(t.Text)]++ })
		for h, n := range count {
			pairs = append(pairs, pair(h)<<32|pair(i)<<countBits|pair(min(n, maxCount)))
		}
		flags := byte(0)
		if asks(t.Text) {
			flags |= turnAsks
		}
		b = le.AppendUint32(b, uint32(t.Offset))
		b = le.AppendUint32(b, uint32(words))
		b = le.AppendUint32(b, chunks[i+1])
		name := t.Speaker
		if strings.EqualFold(name, t.Role) {
			name = ""
		}
		b = le.AppendUint16(b, speakers.number(name))
		b = append(b, byte(roleOf(t.Role)), flags)
		b = le.AppendUint64(b, uint64(unixTime(t.At)))
	}
	slices.Sort(pairs)
	b = le.AppendUint32(b, uint32(len(pairs)))
	for _, p := range pairs {
		b = le.AppendUint32(b, uint32(p>>32))
		b = le.AppendUint32(b, uint32(p))
	}
	for _, n := range speakers.names {
		b = appendString(b, n)
	}
	return b
}

// speakers numbers the names of who speaks.
type speakers struct {
	names []string
	known map[string]uint16
}

func newSpeakers() *speakers { return &speakers{known: map[string]uint16{"": noSpeaker}} }

func (s *speakers) number(name string) uint16 {
	n, ok := s.known[name]
	switch {
	case !ok && len(s.names) == noSpeaker:
		return noSpeaker
	case !ok:
		n = uint16(len(s.names))
		s.names = append(s.names, name)
		s.known[name] = n
	}
	return n
}

// asks reports whether a text ends with a question.
func asks(s string) bool {
	s = strings.TrimRight(s, " \t\r\n\"')”’）」")
	return strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") || strings.HasSuffix(s, "吗") || strings.HasSuffix(s, "呢")
}

// turnTable reads what appendTurns wrote; a damaged one has no turns.
type turnTable struct {
	turns, pairs []byte
	names        []string
}

func openTurns(b []byte) (t turnTable) {
	part := func(size int) []byte {
		if len(b) < 4 {
			return nil
		}
		n := int(binary.LittleEndian.Uint32(b))
		if b = b[4:]; n < 0 || n > len(b)/size {
			b = nil
			return nil
		}
		out := b[:n*size]
		b = b[n*size:]
		return out
	}
	t.turns = part(turnSize)
	t.pairs = part(pairSize)
	for len(b) > 0 {
		n, w := binary.Uvarint(b)
		if w <= 0 || n > uint64(len(b)-w) {
			break
		}
		t.names = append(t.names, string(b[w:w+int(n)]))
		b = b[w+int(n):]
	}
	return t
}

func (t *turnTable) len() int { return len(t.turns) / turnSize }

// count visits the turns that hold a term.
func (t *turnTable) count(hash uint32, visit func(turn int, tf float64)) {
	n := len(t.pairs) / pairSize
	at := func(i int) uint32 { return binary.LittleEndian.Uint32(t.pairs[i*pairSize:]) }
	for i := sort.Search(n, func(i int) bool { return at(i) >= hash }); i < n && at(i) == hash; i++ {
		p := binary.LittleEndian.Uint32(t.pairs[i*pairSize+4:])
		if turn := int(p >> countBits); turn < t.len() {
			visit(turn, float64(p&maxCount))
		}
	}
}

// Turn is a turn of a session as far as a question scores it. Own and Around
// are BM25 as shares of the ideal: of the turn, and of the turn together with
// its neighbours on both sides.
type Turn struct {
	N           int // from 1
	Offset      int // of its line in the session's file
	Words       int
	Speaker     string // a name, "" where only the role is known
	User        bool   // the user speaks …
	Assistant   bool   // … or the assistant
	Asks        bool   // it ends with a question
	At          time.Time
	Own, Around float64
	Cosine      float64 // of its best chunk with the question's vector, 0 without
	HasVector   bool
}

// Turns scores the turns of a session by the words of a question (nil: not
// scored) and by its vector (nil: not). A page that is no session has none.
func (v *View) Turns(row uint32, r *LexicalResult, q []float32) []Turn {
	tb, n := v.at(row)
	if tb.flags(n)&flagSession == 0 {
		return nil
	}
	t := openTurns(metaRest(tb.meta(n)))
	out := make([]Turn, t.len())
	le := binary.LittleEndian
	chunks := tb.chunks(n)
	for i := range out {
		b := t.turns[i*turnSize:]
		u := &out[i]
		u.N, u.Offset, u.Words = i+1, int(le.Uint32(b)), int(le.Uint32(b[4:]))
		u.User, u.Assistant, u.Asks = role(b[14]) == roleUser, role(b[14]) == roleAssistant, b[15]&turnAsks != 0
		if name := int(le.Uint16(b[12:])); name < len(t.names) {
			u.Speaker = t.names[name]
		}
		if at := int64(le.Uint64(b[16:])); at != 0 {
			u.At = time.Unix(at, 0).UTC()
		}
		own := chunks[:min(len(chunks), 4*int(le.Uint32(b[8:])))]
		chunks = chunks[len(own):]
		u.Cosine, u.HasVector = v.nearest(own, q)
	}
	if r != nil {
		r.scoreTurns(&t, out)
	}
	return out
}

// nearest gives the best cosine among chunks.
func (v *View) nearest(chunks []byte, q []float32) (best float64, ok bool) {
	if v.vecs == nil || len(q) != v.vecs.dims {
		return 0, false
	}
	top := float32(unseen)
	for ; len(chunks) >= 4; chunks = chunks[4:] {
		if vec := v.vecs.vector(binary.LittleEndian.Uint32(chunks)); vec != nil {
			top = max(top, dot(q, vec))
		}
	}
	if top == unseen {
		return 0, false
	}
	return float64(top), true
}

// scoreTurns adds up BM25 over turns and over windows of turns. The idf is
// that of turns.
func (r *LexicalResult) scoreTurns(t *turnTable, out []Turn) {
	if r.turns.ideal == 0 {
		return
	}
	const w = turnWindow
	norm := func(length, avg float64) float64 { return bm25K1 * (1 - bm25B + bm25B*length/avg) }
	own, around := make([]float64, len(out)), make([]float64, len(out))
	for i := range out {
		length := 0
		for _, t := range out[max(0, i-w):min(len(out), i+w+1)] {
			length += t.Words
		}
		own[i], around[i] = norm(float64(out[i].Words), r.turns.avg), norm(float64(length), r.turns.avg*(2*w+1))
	}
	tf := make([]float64, len(out)+2*w) // of turn i at i+w
	for _, term := range r.turns.terms {
		clear(tf)
		first, last := len(out), -1
		t.count(term.hash, func(turn int, n float64) {
			tf[turn+w] = n
			first, last = min(first, turn), max(last, turn)
		})
		full := term.weight * (bm25K1 + 1) / r.turns.ideal // the share of a turn that is nothing but the term
		from, sum := max(0, first-w), 0.0                  // of tf around a turn
		for _, n := range tf[from:min(len(tf), from+2*w)] {
			sum += n
		}
		for i := from; i <= min(len(out)-1, last+w); i++ {
			sum += tf[i+2*w]
			if n := tf[i+w]; n > 0 {
				out[i].Own += full * n / (n + own[i])
			}
			if sum > 0 {
				out[i].Around += full * sum / (sum + around[i])
			}
			sum -= tf[i]
		}
	}
}

// turnStats is what the words of a question are worth among turns.
type turnStats struct {
	terms []turnTerm
	ideal float64
	avg   float64 // words of a turn
}

type turnTerm struct {
	hash   uint32
	weight float64 // of the question × idf
}
