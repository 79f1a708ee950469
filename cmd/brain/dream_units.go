package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"brain/dream"
)

// What the timers of a system are told, each in its own form: a service and a timer for
// systemd, a line for cron, a property list for launchd. All of them run the same command,
// `brain dream --due`, which ends at once when the time had its run: so a timer may come
// too often, at boot or after an hour once more, and never makes a second run.

// nightUnit is a timer for one brain.
type nightUnit struct {
	program     string // absolute
	root, brain string
	schedule    *dream.Schedule
	yes         bool // write where brain.yml says ask
}

// id names the timer, of this brain and no other.
func (u *nightUnit) id() string {
	sum := sha256.Sum256([]byte(u.root + "\x00" + u.brain))
	name := strings.Map(func(r rune) rune { // what every program takes in a name
		if isWordRune(r) || r == '-' || r == '_' {
			return r
		}
		return -1
	}, u.brain)
	return strings.Trim(name+"-"+hex.EncodeToString(sum[:4]), "-")
}

func (u *nightUnit) args(flags ...string) []string {
	args := append([]string{u.program, "--root", u.root, "--brain", u.brain}, flags...)
	args = append(args, "dream", "--due", u.schedule.String())
	if u.yes {
		args = append(args, "--yes")
	}
	return args
}

func (u *nightUnit) what() string { return "nightly upkeep of brain " + u.brain + " in " + u.root }

// unitMark is in the first line of what brain wrote, by which it is known again.
const unitMark = "Written by `brain dream install "

func mark(kind string) string { return unitMark + kind + "`, which replaces it when it is run again." }

func (u *nightUnit) service() string {
	words := u.args()
	for i, w := range words {
		words[i] = systemdWord(w, i == 0)
	}
	return "# " + mark("systemd") + "\n" +
		"[Unit]\nDescription=" + specifiers("The "+u.what()) + "\n\n" +
		"[Service]\nType=oneshot\nNice=10\nExecStart=" + strings.Join(words, " ") + "\n"
}

func (u *nightUnit) timer() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n[Unit]\nDescription=%s\n\n[Timer]\n", mark("systemd"), specifiers("When the "+u.what()+" is due"))
	for _, t := range u.schedule.Times() {
		fmt.Fprintf(&b, "OnCalendar=%s\n", onCalendar(&t))
	}
	for _, t := range u.schedule.Times() {
		if again := afterGap(&t); again != nil {
			fmt.Fprintf(&b, "# Systemd leaves out a time that the clock skips in spring. An hour later there is one; on other\n# days the run was made and is not made again.\nOnCalendar=%s\n", onCalendar(again))
		}
	}
	b.WriteString("Persistent=true\n\n[Install]\nWantedBy=timers.target\n")
	return b.String()
}

// afterGap are times an hour after those that clocks skip, between midnight and three, as
// far as they are not among them anyway; nil for none.
func afterGap(t *dream.Times) *dream.Times {
	again := *t
	again.Hours = nil
	for _, h := range t.Hours {
		if h < 3 && !slices.Contains(t.Hours, h+1) {
			again.Hours = append(again.Hours, h+1)
		}
	}
	if again.Hours == nil {
		return nil
	}
	return &again
}

// onCalendar is a time in systemd's form: Mon,Fri *-01-01..07 03:00:00
func onCalendar(t *dream.Times) string {
	field := func(values []int, join string, name func(int) string) string {
		if values == nil {
			return "*"
		}
		return ranges(values, join, name)
	}
	two := func(n int) string { return fmt.Sprintf("%02d", n) }
	days := ""
	if t.Weekdays != nil { // whose week begins on Monday
		from, sunday := t.Weekdays, []int{7}
		if from[0] == 0 {
			from = append(slices.Clone(from[1:]), sunday...)
		}
		days = ranges(from, "..", func(n int) string { return []string{"", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}[n] }) + " "
	}
	return fmt.Sprintf("%s*-%s-%s %s:%s:00", days, field(t.Months, "..", two), field(t.Days, "..", two), field(t.Hours, "..", two), field(t.Minutes, "..", two))
}

// ranges lists values, three and more in a row as a range.
func ranges(values []int, join string, name func(int) string) string {
	var parts []string
	for i := 0; i < len(values); {
		j := i
		for j+1 < len(values) && values[j+1] == values[j]+1 {
			j++
		}
		if j-i >= 2 {
			parts = append(parts, name(values[i])+join+name(values[j]))
		} else {
			for _, v := range values[i : j+1] {
				parts = append(parts, name(v))
			}
		}
		i = j + 1
	}
	return strings.Join(parts, ",")
}

// systemdWord quotes a word of ExecStart. A percent sign would begin a specifier, and a
// dollar sign a variable, but for the program itself.
func systemdWord(w string, program bool) string {
	w = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%").Replace(w)
	if !program {
		w = strings.ReplaceAll(w, "$", "$$")
	}
	return `"` + w + `"`
}

func specifiers(s string) string { return strings.ReplaceAll(s, "%", "%%") }

// cronLines are the two lines for a crontab: what it is, and when it runs.
func (u *nightUnit) cronLines() (comment, entry string) {
	words := u.args("--quiet")
	for i, w := range words {
		words[i] = quoted(w)
	}
	command := strings.ReplaceAll(strings.Join(words, " ")+" >/dev/null", "%", `\%`) // which would end the command
	return u.cronMark() + u.what() + ". " + mark("cron"), cronTimes(u.schedule) + " " + command
}

func (u *nightUnit) cronMark() string { return "# brain dream " + u.id() + ": " }

// cronTimes is a schedule by numbers alone, which every cron reads alike.
func cronTimes(s *dream.Schedule) string {
	t := s.Times()[0]
	for _, other := range s.Times()[1:] {
		t.Weekdays = other.Weekdays // where both are given cron takes either, too
	}
	var fields []string
	for _, values := range [][]int{t.Minutes, t.Hours, t.Days, t.Months, t.Weekdays} {
		field := "*"
		if values != nil {
			field = ranges(values, "-", strconv.Itoa)
		}
		fields = append(fields, field)
	}
	return strings.Join(fields, " ")
}

// inCrontab puts the lines in the place of those of before, or at the end.
func (u *nightUnit) inCrontab(old string) string {
	comment, entry := u.cronLines()
	block := comment + "\n" + entry
	var lines []string
	placed, ours := false, false
	for line := range strings.Lines(old) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, u.cronMark()) {
			if ours = true; !placed {
				lines, placed = append(lines, block), true
			}
			continue
		}
		if ours = ours && strings.Contains(line, " dream --due "); !ours {
			lines = append(lines, line)
		}
	}
	if !placed {
		lines = append(lines, block)
	}
	return strings.Join(lines, "\n") + "\n"
}

func (u *nightUnit) label() string { return "brain.dream." + u.id() }

// maxIntervals is how many times a property list may name; launchd has no lists and ranges.
const maxIntervals = 100

// plist is the property list. It also runs when it is loaded, which makes up for what was
// missed while the machine was off.
func (u *nightUnit) plist(logTo string) (string, error) {
	all := []string{}
	for _, t := range u.schedule.Times() {
		all = append(all, intervals(&t)...)
	}
	if len(all) > maxIntervals {
		return "", usage(fmt.Sprintf("--at: launchd wants each time by itself, and %q has %d of them", u.schedule, len(all)), fmt.Sprintf("at most %d: one a night is what Dream is made for", maxIntervals))
	}
	when := "\t<array>\n" + strings.Join(all, "") + "\t</array>\n"
	if len(all) == 1 {
		when = strings.ReplaceAll(strings.TrimPrefix(all[0], "\t"), "\n\t", "\n")
	}
	var args strings.Builder
	for _, w := range u.args("--quiet") {
		fmt.Fprintf(&args, "\t\t<string>%s</string>\n", inXML(w))
	}
	return `<?xml version="1.0" encoding="UTF-8"?>
<!-- ` + mark("launchd") + ` -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>` + inXML(u.label()) + `</string>
	<key>ProgramArguments</key>
	<array>
` + args.String() + `	</array>
	<key>StartCalendarInterval</key>
` + when + `	<key>RunAtLoad</key>
	<true/>
	<key>ProcessType</key>
	<string>Background</string>
	<key>StandardErrorPath</key>
	<string>` + inXML(logTo) + `</string>
</dict>
</plist>
`, nil
}

// intervals are the times of a schedule one by one, each a dictionary.
func intervals(t *dream.Times) []string {
	all := []string{""}
	for _, field := range []struct {
		key    string
		values []int
	}{{"Month", t.Months}, {"Day", t.Days}, {"Weekday", t.Weekdays}, {"Hour", t.Hours}, {"Minute", t.Minutes}} {
		if field.values == nil {
			continue
		}
		var with []string
		for _, before := range all {
			for _, v := range field.values {
				with = append(with, before+fmt.Sprintf("\t\t\t<key>%s</key>\n\t\t\t<integer>%d</integer>\n", field.key, v))
			}
		}
		all = with
	}
	for i, keys := range all {
		all[i] = "\t\t<dict>\n" + keys + "\t\t</dict>\n"
	}
	return all
}

func inXML(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder takes everything
	return b.String()
}
