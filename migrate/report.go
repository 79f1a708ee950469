package migrate

import (
	"maps"
	"slices"

	"brain/page"
)

// Report is what an import comes to, or would.
type Report struct {
	Pages   Tally     `json:"pages"`
	Facts   Tally     `json:"facts"`
	Agents  []Room    `json:"agents"`  // that get facts, by name
	Users   []string  `json:"users"`   // of whom the facts are, as the source names them
	Renamed []Renamed `json:"renamed"` // pages whose place was taken by another
	Evicted []string  `json:"evicted"` // ids of facts that were here and made room
	Dropped []Dropped `json:"dropped"` // at most maxDropped
	// Reasons count all that was dropped.
	Reasons map[Reason]int `json:"reasons"`
	// Secrets counts what looks like one, by kind: an import keeps it.
	Secrets map[string]int `json:"secrets"`
	// Jobs are those by which it can be undone, the last one first.
	Jobs []string `json:"jobs"`
}

// Tally counts pages, or facts.
type Tally struct {
	Found     int `json:"found"`
	Written   int `json:"written"`   // or would be
	There     int `json:"there"`     // is there already, as it is
	Different int `json:"different"` // is there, and says something else: it stays
}

// Room is what an agent's facts come to.
type Room struct {
	Agent string `json:"agent"`
	Have  int    `json:"have"`
	Come  int    `json:"come"`
	Max   int    `json:"max"`
}

// Over is how many facts have no room.
func (r Room) Over() int { return max(0, r.Have+r.Come-r.Max) }

// Renamed is a page that another stood in the way of.
type Renamed struct {
	Wanted page.Path `json:"wanted"`
	Path   page.Path `json:"path"`
}

// maxDropped bounds how many drops are told one by one; all are counted.
const maxDropped = 100_000

func newReport() *Report {
	return &Report{Agents: []Room{}, Users: []string{}, Renamed: []Renamed{}, Evicted: []string{}, Dropped: []Dropped{},
		Reasons: map[Reason]int{}, Secrets: map[string]int{}, Jobs: []string{}}
}

func (r *Report) drop(d Dropped) {
	if r.Reasons[d.Reason]++; len(r.Dropped) < maxDropped {
		r.Dropped = append(r.Dropped, d)
	}
}

// ByReason are the reasons, those of most drops first.
func (r *Report) ByReason() []Reason {
	return slices.SortedFunc(maps.Keys(r.Reasons), func(a, b Reason) int {
		if n := r.Reasons[b] - r.Reasons[a]; n != 0 {
			return n
		}
		return slices.Index(order, a) - slices.Index(order, b)
	})
}

// order are the reasons as they are listed.
var order = []Reason{Different, Evicted, Broken, Unknown, Unreadable, TooLarge, NotText, BadName, NotWritable, NoPlace, AsText, Gone, Expired,
	Forgotten, Duplicate, OtherAgent, OtherUser, Session, NotMarkdown, Link, Special, Hidden, Derived, Settings}

// room is that of an agent, made when it is first asked for.
func (r *Report) room(agent string) *Room {
	i := slices.IndexFunc(r.Agents, func(a Room) bool { return a.Agent == agent })
	if i < 0 {
		i = len(r.Agents)
		r.Agents = append(r.Agents, Room{Agent: agent})
	}
	return &r.Agents[i]
}

func (r *Report) user(name string) {
	if name != "" && !slices.Contains(r.Users, name) {
		r.Users = append(r.Users, name)
	}
}
