package main

import (
	"encoding/xml"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"brain/dream"
)

func unit(t *testing.T, program, root, brain, at string) *nightUnit {
	t.Helper()
	s, err := dream.ParseSchedule(at)
	if err != nil {
		t.Fatal(err)
	}
	return &nightUnit{program: program, root: root, brain: brain, schedule: s}
}

// C20
func TestUnitsOfSystemd(t *testing.T) {
	u := unit(t, "/usr/local/bin/brain", "/home/ada/memory", "default", "0 3 * * *")
	id := u.id()
	if want := "default-"; !strings.HasPrefix(id, want) || len(id) != len(want)+8 {
		t.Errorf("id %s, want default and 8 hex digits", id)
	}
	same(t, u.service(), `# Written by `+"`brain dream install systemd`"+`, which replaces it when it is run again.
[Unit]
Description=The nightly upkeep of brain default in /home/ada/memory

[Service]
Type=oneshot
Nice=10
ExecStart="/usr/local/bin/brain" "--root" "/home/ada/memory" "--brain" "default" "dream" "--due" "0 3 * * *"
`)
	same(t, u.timer(), `# Written by `+"`brain dream install systemd`"+`, which replaces it when it is run again.
[Unit]
Description=When the nightly upkeep of brain default in /home/ada/memory is due

[Timer]
OnCalendar=*-*-* 03:00:00
Persistent=true

[Install]
WantedBy=timers.target
`)
}

// A percent sign would begin a specifier, a dollar sign a variable; only the program's own
// path is taken as it is.
func TestNamesWithSignsInAUnitOfSystemd(t *testing.T) {
	u := unit(t, `/opt/100% $mine/brain`, `/home/ada/my "best" notes\100% $HOME`, "笔记", "0 3 * * *")
	want := `ExecStart="/opt/100%% $mine/brain" "--root" "/home/ada/my \"best\" notes\\100%% $$HOME" "--brain" "笔记" "dream" "--due" "0 3 * * *"` + "\n"
	if got := u.service(); !strings.HasSuffix(got, want) {
		t.Errorf("got\n%s\nwant at the end\n%s", got, want)
	}
	if !strings.Contains(u.service(), "in /home/ada/my \"best\" notes\\100%% $HOME\n") {
		t.Errorf("the description is not what it should be:\n%s", u.service())
	}
	if id := u.id(); len(id) != 8 {
		t.Errorf("id %q, want 8 hex digits alone", id)
	}
}

func TestSchedulesInTheFormOfSystemd(t *testing.T) {
	for at, want := range map[string]string{
		"*/15 * * * *":          "*-*-* *:00,15,30,45:00",
		"5 4,6 * * *":           "*-*-* 04,06:05:00",
		"0 3 * * mon-fri":       "Mon..Fri *-*-* 03:00:00",
		"0 3 * * sun":           "Sun *-*-* 03:00:00",
		"0 3 * * sat,sun":       "Sat,Sun *-*-* 03:00:00",
		"0 3 * * fri-sun":       "Fri..Sun *-*-* 03:00:00",
		"0 3 1-7 jan,mar-may *": "*-01,03..05-01..07 03:00:00",
		"0 3 13 * fri":          "*-*-13 03:00:00 | Fri *-*-* 03:00:00", // either day
		"30 2 * * *":            "*-*-* 02:30:00 | *-*-* 03:30:00",      // it is skipped once a year
		"0 0-2 * * *":           "*-*-* 00..02:00:00 | *-*-* 03:00:00",
		"0 * * * *":             "*-*-* *:00:00",
		"@monthly":              "*-*-01 00:00:00 | *-*-01 01:00:00",
	} {
		var got []string
		for line := range strings.Lines(unit(t, "/b", "/r", "b", at).timer()) {
			if when, ok := strings.CutPrefix(strings.TrimSpace(line), "OnCalendar="); ok {
				got = append(got, when)
			}
		}
		if s := strings.Join(got, " | "); s != want {
			t.Errorf("%s: %s, want %s", at, s, want)
		}
	}
}

// What systemd itself says of them, where it is there.
func TestSystemdTakesTheUnits(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("no systemd-analyze")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, `100% brain $HOME`)
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"0 3 * * *", "0 3 13 * fri", "*/7 0-2 1-7,9 feb-apr sun"} {
		u := unit(t, program, dir+`/a "b" \ c`, "default", at)
		for name, text := range map[string]string{"n.service": u.service(), "n.timer": u.timer()} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command(analyze, "--user", "verify", filepath.Join(dir, "n.timer"), filepath.Join(dir, "n.service"))
		cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+dir)
		if out, err := cmd.CombinedOutput(); strings.Contains(string(out), "n.timer") || strings.Contains(string(out), "n.service") {
			t.Errorf("%s: %v\n%s", at, err, out)
		}
	}
}

func TestLineForCron(t *testing.T) {
	u := unit(t, "/usr/local/bin/brain", "/home/ada/my notes 100%", "default", "0 3 13 * fri")
	comment, entry := u.cronLines()
	same(t, comment, "# brain dream "+u.id()+": nightly upkeep of brain default in /home/ada/my notes 100%. Written by `brain dream install cron`, which replaces it when it is run again.")
	same(t, entry, `0 3 13 * 5 /usr/local/bin/brain --root '/home/ada/my notes 100\%' --brain default --quiet dream --due '0 3 13 * fri' >/dev/null`)
	for at, want := range map[string]string{"@weekly": "0 0 * * 0", "*/30 1-3 * jan,feb 1-5": "0,30 1-3 * 1,2 1-5", "0 22-1 * * *": "0 0,1,22,23 * * *", "0 3 13 * 0-6": "0 3 * * *"} {
		if _, entry := unit(t, "/b", "/r", "b", at).cronLines(); !strings.HasPrefix(entry, want+" /b ") {
			t.Errorf("%s: %s, want %s", at, entry, want)
		}
	}
	_, entry = unit(t, "/b", "/it's", "b", "@daily").cronLines()
	if want := `--root '/it'\''s' `; !strings.Contains(entry, want) {
		t.Errorf("%s lacks %s", entry, want)
	}
}

// Doing it twice replaces, and nothing else in the crontab changes.
func TestACrontabHasOneLineForABrain(t *testing.T) {
	u, other := unit(t, "/b", "/r", "b", "0 3 * * *"), unit(t, "/b", "/r", "c", "0 3 * * *")
	comment, entry := u.cronLines()
	first := comment + "\n" + entry + "\n"
	same(t, u.inCrontab(""), first)
	same(t, u.inCrontab(first), first)
	same(t, u.inCrontab("MAILTO=ada\n5 * * * * x"), "MAILTO=ada\n5 * * * * x\n"+first)
	both := other.inCrontab("@daily before\n" + first + "@daily after dream --due\n")
	u.schedule = unit(t, "", "", "", "30 4 * * *").schedule
	comment2, entry2 := u.cronLines()
	otherComment, otherEntry := other.cronLines()
	same(t, u.inCrontab(both), "@daily before\n"+comment2+"\n"+entry2+"\n@daily after dream --due\n"+otherComment+"\n"+otherEntry+"\n")
	same(t, u.inCrontab(first+"\n"+first), comment2+"\n"+entry2+"\n\n") // what was there twice is there once
	same(t, u.inCrontab(comment+"\n7 7 * * * mine\n"), comment2+"\n"+entry2+"\n7 7 * * * mine\n")
}

func TestPropertyListForLaunchd(t *testing.T) {
	u := unit(t, "/usr/local/bin/brain", "/Users/ada/R&D <1>", "default", "0 3 * * *")
	got, err := u.plist("/Users/ada/Library/Logs/x.log")
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, `<?xml version="1.0" encoding="UTF-8"?>
<!-- Written by `+"`brain dream install launchd`"+`, which replaces it when it is run again. -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>brain.dream.`+u.id()+`</string>
	<key>ProgramArguments</key>
	<array>
		<string>/usr/local/bin/brain</string>
		<string>--root</string>
		<string>/Users/ada/R&amp;D &lt;1&gt;</string>
		<string>--brain</string>
		<string>default</string>
		<string>--quiet</string>
		<string>dream</string>
		<string>--due</string>
		<string>0 3 * * *</string>
	</array>
	<key>StartCalendarInterval</key>
	<dict>
		<key>Hour</key>
		<integer>3</integer>
		<key>Minute</key>
		<integer>0</integer>
	</dict>
	<key>RunAtLoad</key>
	<true/>
	<key>ProcessType</key>
	<string>Background</string>
	<key>StandardErrorPath</key>
	<string>/Users/ada/Library/Logs/x.log</string>
</dict>
</plist>
`)
}

func TestManyTimesForLaunchd(t *testing.T) {
	list := func(at string) (string, error) { return unit(t, "/b", "/r", "b", at).plist("/log") }
	got, err := list("0 3,15 * * sat,sun")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(got, "<key>Weekday</key>"); n != 4 { // two days, two hours
		t.Errorf("%d times, want 4:\n%s", n, got)
	}
	if !strings.Contains(got, "\t<key>StartCalendarInterval</key>\n\t<array>\n\t\t<dict>\n\t\t\t<key>Weekday</key>\n\t\t\t<integer>0</integer>\n\t\t\t<key>Hour</key>\n\t\t\t<integer>3</integer>\n") {
		t.Errorf("not in the form of a property list:\n%s", got)
	}
	for d := xml.NewDecoder(strings.NewReader(got)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := list("*/5 9-17 * * 1-5"); err == nil || !strings.Contains(err.Error(), "540") { // 12 × 9 × 5
		t.Errorf("got %v, want a refusal that says 540", err)
	}
	if got, err = list("* * * * *"); err != nil || !strings.Contains(got, "<dict>\n\t</dict>") {
		t.Errorf("every minute: %v\n%s", err, got)
	}
}

func same(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
