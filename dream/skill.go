package dream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"brain/page"
	"brain/store"
	"brain/text"
)

// A skill is an experience that proved itself, in the form in which agents load skills:
// skills/<name>/SKILL.md with a name and a description. It is made by rule, of the words of
// the experience, and waits as a candidate, in no answer, until a person activates it.
//
// An experience proposes once: its page names the skill from then on. One that was archived,
// purged or deleted does not come back.

// propose makes a skill of an experience that is mature, and had none. The path is "" where
// there is nothing to propose.
func propose(ctx context.Context, tx *store.Tx, st *store.Store, pack *page.Pack, x *Experience, at time.Time) (page.Path, error) {
	if x.page.Type != "experience" || !x.Mature() || x.Skill != "" || page.Retired(x.Status) || x.procedure() == "" {
		return "", nil
	}
	gone, err := st.Forgotten(ctx)
	if err != nil {
		return "", err
	}
	made, err := skillOf(x, at)
	if err != nil {
		return "", err
	}
	p, err := addSkill(tx, pack, gone, x.Title, made)
	if err != nil || p == "" {
		return "", err
	}
	next, err := page.Splice(x.Path, x.page.Raw, page.SetText("skill", "[["+strings.TrimSuffix(string(p), ".md")+"]]"))
	if err == nil {
		err = tx.Replace(x.Path, store.HashOf(x.page.Raw), next)
	}
	return p, err
}

// procedure is what to do; of a page that has no such section all of its text.
func (x *Experience) procedure() string {
	if x.Procedure != "" || x.page.CreatedBy == Author {
		return x.Procedure
	}
	body := strings.TrimSpace(x.page.Body)
	if head, rest, _ := strings.Cut(body, "\n"); strings.HasPrefix(head, "# ") {
		body = strings.TrimSpace(rest)
	}
	return body
}

// skillOf renders the skill of an experience.
func skillOf(x *Experience, at time.Time) (func(name string) ([]byte, error), error) {
	language := ""
	if isHan(x.Title) {
		language = "zh"
	}
	names := headings[language]
	var b strings.Builder
	b.WriteString("# " + skillTitle(x.Title, language) + "\n")
	for i, section := range []string{x.Trigger, x.procedure(), x.Boundary, verification(x, language)} {
		if section != "" {
			b.WriteString("\n## " + names[i] + "\n\n" + unreferenced(section) + "\n")
		}
	}
	at = at.UTC().Truncate(time.Second)
	d := page.Draft{
		Title: skillTitle(x.Title, language), Type: "skill", Status: page.Candidate, CreatedBy: Author, Created: at, Updated: at,
		Sources: []string{reference{path: x.Path}.source()}, Body: b.String(),
	}
	return func(name string) ([]byte, error) {
		d.More = []page.Key{{Name: "name", Value: name}, {Name: "description", Value: description(x)}}
		return page.Format(d)
	}, nil
}

// skillTitle is another than that of the experience: one name leads to one page.
func skillTitle(title, language string) string {
	if language == "zh" {
		return text.Clip(title, page.MaxTitle-10) + "（技能）"
	}
	return text.Clip(title, page.MaxTitle-10) + " (skill)"
}

// description is by what an agent chooses a skill: when it applies.
func description(x *Experience) string {
	line := strings.Join(strings.Fields(unreferenced(x.Trigger)), " ")
	return text.Clip(cmp.Or(strings.TrimPrefix(line, "- "), x.Title), 300)
}

// verification is what is known of it: how often it helped.
func verification(x *Experience, language string) string {
	if language == "zh" {
		return fmt.Sprintf("已成功 %d 次（eta %s）。", x.Support, formatEta(x.Eta))
	}
	return fmt.Sprintf("Reported to have worked %d times (eta %s).", x.Support, formatEta(x.Eta))
}

// unreferenced is a section without the numbers of its sources, which lead nowhere in
// another page.
func unreferenced(section string) string {
	var b strings.Builder
	for line := range strings.Lines(section) {
		line = strings.TrimRight(line, " \t\n")
		if open := strings.LastIndex(line, " ["); open >= 0 && strings.HasSuffix(line, "]") {
			if _, ok := numbers(line[open+2 : len(line)-1]); ok {
				line = line[:open]
			}
		}
		b.WriteString(line + "\n")
	}
	return strings.TrimSpace(b.String())
}

// maxSkillNames bounds the names that are tried.
const maxSkillNames = 100

// addSkill writes a skill at the first free name: its folder is its name. "" means that one of
// that name was purged.
func addSkill(tx *store.Tx, pack *page.Pack, gone *store.Purges, title string, made func(name string) ([]byte, error)) (page.Path, error) {
	if pack == nil {
		pack = page.ProblemTree()
	}
	for n := 1; n <= maxSkillNames; n++ {
		p, name, err := skillPlace(pack, title, n)
		if err != nil {
			return "", err
		}
		if gone.Path(p) || gone.Text(title) {
			return "", nil
		}
		raw, err := made(name)
		if err != nil {
			return "", err
		}
		err = tx.Add(p, raw)
		if !errors.Is(err, store.ErrExists) && !errors.Is(err, store.ErrTwin) {
			return p, err
		}
	}
	return "", fmt.Errorf("add a skill %s: %w, and so do its names up to -%d", cmp.Or(page.Slug(title), "skill"), store.ErrExists, maxSkillNames)
}

// skillPlace is the n-th place where a skill of that title may stand, and its name.
func skillPlace(pack *page.Pack, title string, n int) (p page.Path, name string, err error) {
	name = cmp.Or(page.Slug(title), "skill")
	if n > 1 {
		name = fmt.Sprintf("%s-%d", name, n)
	}
	p, err = pack.Place(page.Spot{Type: "skill", Title: name}, nil)
	return p, name, err
}

// skillPurged reports whether the skill of that title would be one that was purged. It is asked
// before anything is said or locked: the experience names no skill, and is met every night.
func (n *night) skillPurged(ctx context.Context, title string) (bool, error) {
	gone, err := n.Store.Forgotten(ctx)
	if err != nil || gone.Empty() {
		return false, err
	}
	for i := 1; i <= maxSkillNames; i++ {
		p, _, err := skillPlace(n.pack(), title, i)
		if err != nil || gone.Path(p) || gone.Text(title) {
			return err == nil, err
		}
		if _, err := n.Store.Read(ctx, p); errors.Is(err, store.ErrNotFound) {
			return false, nil
		}
	}
	return false, nil
}

// SkillName is by what a skill goes: its folder, else its file.
func SkillName(p page.Path) string {
	if p.Stem() == "SKILL" && p.Dir() != "" {
		return path.Base(p.Dir())
	}
	return p.Stem()
}

// skills proposes what matured without being told: by an edit, or because it could not be
// written when it was.
func (n *night) skills(ctx context.Context) error {
	v, err := n.view(ctx)
	if err != nil {
		return err
	}
	var all []page.Path
	for row := range v.All {
		if p := v.Page(row); p.Type == "experience" && p.Agent == "" && p.Ranked {
			all = append(all, p.Path)
		}
	}
	slices.Sort(all)
	for _, p := range all {
		err := n.skill(ctx, p)
		if errors.Is(err, page.ErrSplice) || errors.Is(err, page.ErrDraft) {
			n.left(Left{Path: string(p), What: fmt.Sprintf("it is mature, and no skill can be made of it: %v", err), Hint: "mend the page: brain lint names what is wrong with it"})
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (n *night) skill(ctx context.Context, at page.Path) error {
	p, err := n.read(ctx, at)
	if err != nil {
		return n.without(ctx, at, err)
	}
	x := ReadExperience(p)
	if !x.Mature() || x.Skill != "" || x.procedure() == "" {
		return nil
	}
	if gone, err := n.skillPurged(ctx, x.Title); err != nil || gone {
		return err
	}
	if n.DryRun {
		n.changed(string(at), "would propose a skill")
		return nil
	}
	var skill page.Path
	err = n.update(ctx, "propose a skill", func(tx *store.Tx) error {
		raw, err := tx.Read(at)
		if err != nil {
			return err
		}
		skill, err = propose(ctx, tx, n.Store, n.Pack, ReadExperience(n.pack().Parse(at, raw)), n.at)
		return err
	})
	if err == nil && skill != "" {
		n.changed(string(skill), "skill proposed")
	}
	return err
}
