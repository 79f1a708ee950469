package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"brain/memory"
	"brain/store"
)

type deerMemFlags struct {
	from     string
	all      bool
	ids      []string
	dry, yes bool
}

func migrateDeerMemCommand() *command {
	var f deerMemFlags
	return &command{
		name: "deermem", schema: "migrate-deermem",
		short: "take in the memory of DeerMem's users",
		long: `Makes a brain of each user of a DeerMem root, named as the user's folder there: facts under their agents and the summaries. What has the form of version 2 comes byte for byte; what is older, in a memory.json of all or of one agent, gets that form. The source is only read, and the host's own files stay there. A change of DeerMem's that was cut short counts as its next start would leave it.

--all-users takes all, --user-id those named, by their raw ids. A user whose files are damaged, or of whom the brain says another thing, is refused whole and named, and the others go on; once more, nothing is written. What was purged from a brain does not come back.

Where --from is a brain's own folder (brain init --here makes one of a user's folder) only what is left of before version 2 is taken over there; a copy of each old file stays beside it (.v1.bak).

It goes one way: older DeerMems cannot read version 2. Stop the programs that write there and keep a copy of the folder first. It asks, unless --yes is given.`,
		examples: []string{
			"brain migrate deermem --from ~/.deermem --all-users --dry-run",
			"brain migrate deermem --from ~/.deermem --user-id ann@example.com",
			"cd ~/.deermem/users/ann && brain init --here && brain migrate deermem --from .",
		},
		exits: []exitNote{
			{exitUsage, "no user was chosen, or nobody could be asked"},
			{exitNotFound, "no such source, user or memory root"},
			{exitConflict, "a brain, or what is older, says another thing of some fact or summary"},
			{exitBusy, "somebody writes in the source or in a brain"},
			{exitEnvironment, "a user's files are damaged, or the disk is full or may not be written"},
		},
		flags: f.flags,
		run:   func(ctx context.Context, a *app, _ []string) error { return a.migrateDeerMem(ctx, &f) },
	}
}

func (f *deerMemFlags) flags(fs *pflag.FlagSet) {
	fs.StringVar(&f.from, "from", "", "DeerMem's folder `DIR`, which holds users/, or a brain's own folder")
	fs.BoolVar(&f.all, "all-users", false, "every user who has a memory there")
	fs.StringArrayVar(&f.ids, "user-id", nil, "the user `ID`, as the host names it; may be given several times")
	fs.BoolVar(&f.dry, "dry-run", false, "tell what would be done, and write nothing")
	fs.BoolVarP(&f.yes, "yes", "y", false, "do it without asking")
}

type migrateDeerMemJSON struct {
	From  string             `json:"from"`
	Wrote bool               `json:"wrote"` // false with --dry-run
	Users []migratedUserJSON `json:"users"`
}

// Statuses of a user.
const (
	userCurrent  = "current"  // nothing was to be done
	userPlanned  = "planned"  // it would be, without --dry-run
	userMigrated = "migrated" // it was done and read back
	userFailed   = "failed"   // nothing was written of this user
)

type migratedUserJSON struct {
	User      string           `json:"user"`   // as its facts name it; "" when none does
	Folder    string           `json:"folder"` // below users/; "" for the root itself
	Brain     string           `json:"brain"`
	Status    string           `json:"status"`
	Facts     int              `json:"facts"`     // that were written, or would be
	Present   int              `json:"there"`     // that are there already
	Old       int              `json:"old"`       // facts of before version 2
	Summaries bool             `json:"summaries"` // whether memory.json was written, or would be
	Skipped   []memory.Skipped `json:"skipped"`
	Left      []string         `json:"left"` // the host's files, which stay
	Job       string           `json:"job"`
	Error     *toldJSON        `json:"error"`
}

// toldJSON is an error within a result.
type toldJSON struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

// toldOf says what was wrong with a user's files, which are nothing that lint looks at.
func toldOf(err error) *toldJSON {
	v := judge(err)
	if errors.Is(err, memory.ErrCorrupt) {
		v.hint = "nothing of this user was written: mend the file there or move it away, and run this again"
	}
	return &toldJSON{codeName(err, v.code), err.Error(), v.hint}
}

func (a *app) migrateDeerMem(ctx context.Context, f *deerMemFlags) error {
	if f.from == "" {
		return usage("brain migrate deermem: --from is missing", "--from names DeerMem's folder")
	}
	r, err := a.root()
	if err != nil {
		return err
	}
	from := resolved(r.Dir, a.path(f.from))
	j := migrateDeerMemJSON{From: a.path(f.from), Wrote: !f.dry, Users: []migratedUserJSON{}}
	if brain, err := brainAt(r, from); err != nil {
		return err
	} else if brain != "" {
		return a.migrateHere(ctx, brain, f, &j)
	}
	switch {
	case !f.all && len(f.ids) == 0:
		return usage("brain migrate deermem: no user is chosen", "--user-id names one, --all-users takes all")
	case f.all && len(f.ids) > 0:
		return usage("brain migrate deermem: --all-users and --user-id", "one or the other")
	}
	d, err := memory.OpenDeerMem(from)
	if err != nil {
		return err
	}
	a.closers = append(a.closers, d.Close)
	users, err := f.users(d)
	if err != nil {
		return err
	}
	if a.global.brain != "" && !(len(users) == 1 && users[0].bucket == memory.NoBucket) {
		return usage("brain migrate deermem: --brain "+a.global.brain, "each user gets a brain of the name that the folder has there")
	}
	if err := a.mayGoOneWay(len(users), f); err != nil {
		return err
	}
	var failed error
	for _, u := range users {
		row, err := a.migrateUser(ctx, r, d, u, f)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			row.Status, row.Error = userFailed, toldOf(err)
			failed = cmp.Or(failed, err) // the first one gives the exit code
		}
		j.Users = append(j.Users, row)
	}
	return a.printDeerMem(&j, failed)
}

// brainAt is the brain whose folder a path is, or "".
func brainAt(r store.Root, dir string) (string, error) {
	names, err := r.Brains()
	if err != nil {
		return "", err
	}
	for _, name := range names {
		if at, err := r.BrainDir(name); err == nil && at == dir {
			return name, nil
		}
	}
	return "", nil
}

// deerUser is a user who was chosen.
type deerUser struct {
	bucket, id string
}

// users are those that were chosen, each once.
func (f *deerMemFlags) users(d *memory.DeerMem) (users []deerUser, err error) {
	if f.all {
		buckets, err := d.Buckets()
		for _, b := range buckets {
			users = append(users, deerUser{bucket: b})
		}
		return users, err
	}
	chosen := map[string]bool{}
	for _, id := range f.ids {
		bucket, err := memory.UserFolder(id)
		if err != nil {
			return nil, usage("--user-id: it is empty", "name a user as the host does")
		}
		if !chosen[bucket] {
			chosen[bucket] = true
			users = append(users, deerUser{bucket, id})
		}
	}
	return users, nil
}

// mayGoOneWay tells what cannot be taken back, and asks.
func (a *app) mayGoOneWay(users int, f *deerMemFlags) error {
	if f.dry || f.yes || users == 0 {
		return nil
	}
	const what = "This goes one way: older DeerMems cannot read version 2. Stop the programs that write there, and keep a copy of the folder."
	if !a.global.quiet {
		a.note("brain: %s", what)
	}
	return a.confirm("Go on?", usage("brain migrate deermem: there is nobody to ask", "--yes goes on, --dry-run only looks"), usage("not migrated", ""))
}

// migrateUser takes one user into the brain of that name.
func (a *app) migrateUser(ctx context.Context, r store.Root, d *memory.DeerMem, chosen deerUser, f *deerMemFlags) (row migratedUserJSON, err error) {
	row = migratedUserJSON{User: chosen.id, Folder: chosen.bucket, Brain: chosen.bucket, Skipped: []memory.Skipped{}, Left: []string{}}
	if row.Brain == memory.NoBucket {
		row.Brain = cmp.Or(a.global.brain, "default")
	}
	u, err := d.Read(ctx, chosen.bucket, chosen.id)
	if err != nil {
		return row, err
	}
	row.User, row.Old, row.Left = u.ID, u.Old, list(u.Left)
	_, err = r.BrainDir(row.Brain)
	isNew := errors.Is(err, store.ErrNoBrain)
	switch {
	case err != nil && !isNew:
		return row, err
	case isNew && f.dry:
		row.took(u.Plan(), true)
		return row, nil
	case isNew:
		if _, err := store.Init(r.Dir, store.InitOptions{Brain: row.Brain, Given: true}); err != nil {
			return row, err
		}
	}
	o, err := a.openBrain(row.Brain)
	if err != nil {
		return row, err
	}
	if err := a.mayWrite(o.st, f.yes || f.dry || isNew); err != nil {
		return row, err
	}
	m, err := u.Into(ctx, o.st, f.dry)
	if err != nil {
		return row, err
	}
	row.took(m, f.dry)
	if row.Status == userMigrated {
		a.keepImported(ctx, row.Brain)
	}
	return row, nil
}

// openBrain opens another brain of the root than the one that was asked for.
func (a *app) openBrain(name string) (*opened, error) {
	asked := a.global.brain
	defer func() { a.global.brain = asked }()
	a.global.brain = name
	return a.open()
}

func (row *migratedUserJSON) took(m *memory.Migrated, dry bool) {
	row.Facts, row.Present, row.Summaries, row.Skipped, row.Job = m.Facts, m.Present, m.Summaries, list(m.Skipped), m.Job
	switch {
	case !m.Changes():
		row.Status = userCurrent
	case dry:
		row.Status = userPlanned
	default:
		row.Status = userMigrated
	}
}

// migrateHere takes over what is left of before version 2 where it is.
func (a *app) migrateHere(ctx context.Context, brain string, f *deerMemFlags, j *migrateDeerMemJSON) error {
	if f.all || len(f.ids) > 0 {
		return usage("--from "+f.from+" is the folder of the brain "+brain+", which is one user's", "leave --all-users and --user-id out")
	}
	o, err := a.openBrain(brain)
	if err != nil {
		return err
	}
	row := migratedUserJSON{Brain: brain, Skipped: []memory.Skipped{}, Left: []string{}}
	m, err := a.facts(ctx, o).Migrate(ctx, true)
	if err == nil && m.Changes() && !f.dry {
		if err := a.mayGoOneWay(1, f); err != nil {
			return err
		}
		if err := a.mayWrite(o.st, true); err != nil { // it was asked for
			return err
		}
		m, err = a.facts(ctx, o).Migrate(ctx, false)
	}
	if err != nil {
		row.Status, row.Error = userFailed, toldOf(err)
	} else {
		row.took(m, f.dry)
		row.Old = m.Facts
	}
	j.Users = append(j.Users, row)
	return a.printDeerMem(j, err)
}

func (a *app) printDeerMem(j *migrateDeerMemJSON, failed error) error {
	var err error
	if a.global.json {
		err = a.json(j)
	} else {
		err = a.print("%s", deerMemText(j))
	}
	if err == nil && failed != nil {
		err = ended{judge(failed).code}
	}
	return err
}

func deerMemText(j *migrateDeerMemJSON) string {
	if len(j.Users) == 0 {
		return "no user has a memory in " + plain(j.From) + "\n"
	}
	var b strings.Builder
	for i := range j.Users {
		u := &j.Users[i]
		fmt.Fprintf(&b, "%-8s  %s", u.Status, plain(u.Brain))
		if u.User != "" && u.User != u.Brain {
			fmt.Fprintf(&b, " (%s)", plain(u.User))
		}
		if u.Error != nil {
			fmt.Fprintf(&b, ": %s\n", plain(u.Error.Message))
			if u.Error.Hint != "" {
				fmt.Fprintf(&b, "          hint: %s\n", plain(u.Error.Hint))
			}
			continue
		}
		fmt.Fprintf(&b, ": %s, %d there already", count(u.Facts, "fact"), u.Present)
		if u.Old > 0 {
			fmt.Fprintf(&b, ", %d of before version 2", u.Old)
		}
		if u.Summaries {
			b.WriteString(", memory.json")
		}
		b.WriteString("\n")
		for _, s := range u.Skipped {
			fmt.Fprintf(&b, "          left out %s: it was purged and is not kept again\n", plain(s.ID))
		}
		if len(u.Left) > 0 {
			fmt.Fprintf(&b, "          left there: %s\n", plain(summary(u.Left)))
		}
		if u.Job != "" {
			fmt.Fprintf(&b, "          undo: brain undo %s --brain=%s\n", u.Job, plain(u.Brain))
		}
	}
	return b.String()
}
