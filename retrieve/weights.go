package retrieve

import (
	"time"

	"brain/graph"
)

// Everything that can be tuned, each with its reason. One configuration for
// all questions and all brains; `brain eval` measures it.
const (
	rrfK = 60 // Cormack, Clarke and Büttcher 2009

	// After RRF the score of each arm itself decides most: ranks alone forget
	// how far apart two pages are, and equal votes for a weaker arm lose to
	// the stronger arm alone.
	rrfShare    = 0.03
	rrfRelation = 1.0 // … but a relation is answered by links: their order decides
	// An answer to a relation has the words of its relation, not of the question:
	// where links answered, they decide; BM25, which finds the page asked about
	// and others that name it, only tells ties apart, and the cosine says nothing.
	answeredWords = 0.2 // of BM25's share
	looseAnswer   = 0.9 // of the graph arm's weight: a link that states no relation

	bm25Share   = 1.0 // of BM25 / ideal: fades by itself when the words are not in the brain
	cosineShare = 0.2 // of the calibrated cosine (reference form: bm25/ideal + 0.3·cosine)

	// What a page says in other words of the words that it lacks, the more the
	// less the question's own words are in the brain: kinShare where no page has
	// any of them, nothing where one has kinEnd of the ideal BM25.
	kinShare = 0.6
	kinEnd   = 0.5
	kinDepth = 60 // pages that are looked at for it

	phraseShare = 0.10     // words of the question side by side in the page
	phraseDepth = 10       // pages that are opened to see it …
	phraseBytes = 64 << 10 // … while they have no more text than this together

	// The question names the page: of the share of the question's worth that the
	// name has.
	nameShare = 0.8

	// A word that nobody has written here, one error away from a word of a name.
	typoLetters = 5     // of such a word: shorter ones are one error from anything
	typoWords   = 3     // of a question are corrected …
	typoChoices = 2     // … each to this many words, which share …
	typoWeight  = 0.5   // … this of its weight
	typoCommon  = 20000 // the commonest English words are meant as they stand

	joinShare = 0.6  // a page that a found page names, of that page's score …
	joinHub   = 0.5  // … divided by 1 + joinHub · ln(1 + links of the page)
	joinCap   = 0.85 // … and never nearer to it than this, so that boosts do not swap them
	joinFrom  = 8    // the found pages that are read for names …
	joinTo    = 60   // … of this many that an arm has brought
	joinBytes = 6 << 10

	kindShare = 0.1 // a page of the kind that the question asks for …
	kindDepth = 60  // … among this many

	dateShare = 0.25                // a page or turn of the time that the question names …
	dateTurns = 0.4                 // … of it for a turn, which tells of other days as often …
	dateAfter = 30 * 24 * time.Hour // … or of this long after it, the less the later

	passageShare = 0.12 // best passage of a page, best turn of a session

	// A turn, in parts of BM25's share; see turns.go.
	turnOwn     = 0.17
	turnAround  = 0.57
	turnSession = 0.26
	turnEnough  = 60   // words with which a turn stands half for itself
	turnSpeaker = 0.04 // the one speaks whom the question names
	turnRole    = 0.11 // … or means by I, my, you
	turnAsks    = 0.02 // against a turn that ends with a question

	sessionCap = 3 // sessions among the first …
	sessionsOf = 10

	passageBytes = 12 << 10 // of a page that is examined for its best passage

	hubBoost     = 1.05 // linked to two or more of the first pages
	sourcesBoost = 1.10 // … from two or more sources
	signalDepth  = 20
	hotAlpha     = 0.15
	hotHalfLife  = 30 * 24 * time.Hour
	boostMin     = 0.87 // all boosts of a page together
	boostMax     = 1.15
	boostFloor   = 0.5 // a page below this share of the best gets no boost

	fusedFloor = 0.02 // of the best score; what is below is noise …
	floorKeep  = 3    // … but this many are shown anyway

	scoreGrid = 0.002 // scores nearer than this are ties, which the tier breaks

	// What speaks for the best hit, in units of BM25's share of the ideal.
	weakCosine  = 0.63
	weakKin     = 1.3
	weakPassage = 0.9
	weakPhrase  = 0.68
	weakNamed   = 0.4
	weakRelated = 0.4  // a link that states no relation answers one
	weakCovered = 0.9  // … a passage with so much of the question needs no more
	weakBelow   = 0.58 // less than this together does not convince
)

// armWeights are the RRF weights by intent.
type armWeights struct{ lexical, vector, graph float64 }

// weightsAnswered hold where links answer a relation that was asked for.
var weightsAnswered = armWeights{.14, .11, .75}

var weightsByIntent = map[string]armWeights{
	graph.General:    {.45, .35, .20},
	graph.Relational: {.25, .20, .55},
	graph.Person:     {.40, .25, .35},
	graph.Experience: {.45, .40, .15},
}
