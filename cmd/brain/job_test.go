//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"brain/inbox"
	"brain/page"
	"brain/store"
)

// jobsRoot is a root with a brain of one page, and the folder in which commands run.
type jobsRoot struct {
	*testing.T
	store.Root
}

func newJobsRoot(t *testing.T) *jobsRoot {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	ok(t, err)
	ok(t, os.MkdirAll(filepath.Join(dir, "brains", "default"), 0o755))
	ok(t, os.WriteFile(filepath.Join(dir, "memory.yml"), nil, 0o644))
	ok(t, os.WriteFile(filepath.Join(dir, "brains", "default", "a.md"), []byte("A page.\n"), 0o644))
	r, err := store.At(dir)
	ok(t, err)
	return &jobsRoot{t, r}
}

// run runs a program of the test binary and gives its output and exit code.
func (r *jobsRoot) run(name string, args ...string) (out string, code int) {
	r.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = r.Dir
	var b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &b, &b
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		r.Fatal(err)
	}
	return b.String(), cmd.ProcessState.ExitCode()
}

// detach starts a job and gives its folder; whatever it still does ends with the test.
func (r *jobsRoot) detach(args ...string) jobFolder {
	r.Helper()
	out, code := r.run("brain-detach", args...)
	j, err := findJob(r.Root, strings.TrimSpace(out))
	if err != nil || code != 0 {
		r.Fatalf("exit %d: %s %v", code, out, err)
	}
	r.Cleanup(func() { r.run("brain", "job", "cancel", j.id(), "--wait", "1m") })
	return j
}

func (r *jobsRoot) record(j jobFolder) *jobRecord {
	r.Helper()
	rec, err := j.read()
	ok(r.T, err)
	return rec
}

// brain runs a command and demands an exit code.
func (r *jobsRoot) brain(want int, args ...string) string {
	r.Helper()
	out, code := r.run("brain", args...)
	if code != want {
		r.Errorf("brain %s: exit %d, want %d\n%s", strings.Join(args, " "), code, want, out)
	}
	return out
}

func TestJobOutlivesWhoStartedIt(t *testing.T) {
	r := newJobsRoot(t)
	j := r.detach("sync", "--watch")
	rec := r.record(j)
	if session, err := unix.Getsid(rec.PID); err != nil || session != rec.PID || rec.State != jobRunning || rec.Kind != "sync" || rec.Brain != "default" {
		t.Errorf("session %d, %v: %+v", session, err, rec)
	}
	if raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", rec.PID)); err == nil && !bytes.Contains(raw, []byte("\x00"+hookMarker+"=1\x00")) {
		t.Error("what the job starts could be captured")
	}
	out := r.brain(exitBusy, "job", "status", j.id(), "--wait", "1ms", "--json")
	if err := validate("job-status", []byte(out)); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	out = r.brain(exitOK, "job", "list", "--json")
	if err := validate("job-list", []byte(out)); err != nil || !strings.Contains(out, j.id()) {
		t.Errorf("%v\n%s", err, out)
	}
	if out = r.brain(exitNegative, "--brain", "other", "job", "list"); out != "no jobs\n" {
		t.Errorf("%s", out)
	}
}

func TestJobThatIsDone(t *testing.T) {
	r := newJobsRoot(t)
	j := r.detach("sync")
	out := r.brain(exitOK, "job", "status", j.id(), "--wait", "1m")
	if !strings.Contains(out, j.id()+": sync of brain default: done\n") || strings.Contains(out, "error") {
		t.Errorf("%s", out)
	}
	if rec := r.record(j); rec.ExitCode == nil || *rec.ExitCode != 0 || rec.Ended.Before(rec.Started) {
		t.Errorf("%+v", rec)
	}
	raw, err := os.ReadFile(j.file("out.jsonl"))
	ok(t, err)
	if err := validate("sync", raw); err != nil {
		t.Errorf("%v\n%s", err, raw)
	}
	if out = r.brain(exitNegative, "job", "cancel", j.id()); !strings.Contains(out, "done") {
		t.Errorf("%s", out)
	}
}

func TestJobThatFails(t *testing.T) {
	r := newJobsRoot(t)
	j := r.detach("read", "nothing.md")
	out := r.brain(exitNegative, "job", "status", j.id(), "--wait", "1m")
	rec := r.record(j)
	if rec.State != jobFailed || *rec.ExitCode != exitNotFound || !strings.Contains(rec.Error, "nothing.md") || !strings.Contains(out, "\nerror: "+rec.Error) {
		t.Errorf("%+v\n%s", rec, out)
	}
}

func TestJobIsCancelled(t *testing.T) {
	r := newJobsRoot(t)
	for _, args := range [][]string{{}, {"--force"}} {
		j := r.detach("sync", "--watch")
		out := r.brain(exitOK, append([]string{"job", "cancel", j.id(), "--wait", "1m"}, args...)...)
		if rec := r.record(j); rec.State != jobCancelled || *rec.ExitCode != exitInterrupted || !strings.Contains(out, "cancelled") {
			t.Errorf("%v: %+v\n%s", args, rec, out)
		}
	}
}

func TestKilledJobHasDied(t *testing.T) {
	r := newJobsRoot(t)
	r.brain(exitOK, "sync")
	j := r.detach("sync", "--watch")
	ok(t, syscall.Kill(r.record(j).PID, syscall.SIGKILL))
	for alive := true; alive; { // the system ends it in its own time
		var err error
		alive, err = j.alive()
		ok(t, err)
	}
	if out, _ := r.run("brain", "doctor"); !strings.Contains(out, "died: "+j.id()) || r.record(j).State != jobRunning {
		t.Errorf("%s %+v", out, r.record(j))
	}
	r.brain(exitOK, "compile", "--dry-run")
	if rec := r.record(j); rec.State != jobRunning {
		t.Errorf("%+v", rec)
	}
	r.brain(exitOK, "compile")
	if rec := r.record(j); rec.State != jobDied || rec.Ended.IsZero() {
		t.Errorf("%+v", rec)
	}
	r.brain(exitNegative, "job", "status", j.id())
	if out, _ := r.run("brain", "doctor"); !strings.Contains(out, "0 running") {
		t.Errorf("%s", out)
	}
}

// madeJob is the folder of a job that nobody runs.
func (r *jobsRoot) madeJob(change func(*jobRecord)) jobFolder {
	r.Helper()
	j, err := newJob(r.Root, jobRecord{Kind: "compile", Brain: "default"})
	ok(r.T, err)
	rec := r.record(j)
	rec.State = jobRunning
	change(rec)
	ok(r.T, j.write(rec))
	return j
}

// unrelated is a process that has nothing to do with any job, and must live on.
func (r *jobsRoot) unrelated() int {
	r.Helper()
	cmd := exec.Command("sleep", "600")
	ok(r.T, cmd.Start())
	r.Cleanup(func() {
		if err := cmd.Process.Kill(); err != nil {
			r.Errorf("the process was ended: %v", err)
		}
		cmd.Wait()
		if state := cmd.ProcessState.Sys().(syscall.WaitStatus); state.Signal() != syscall.SIGKILL {
			r.Errorf("the process was signalled: %v", state.Signal())
		}
	})
	return cmd.Process.Pid
}

func TestUnrelatedProcessIsNeverSignalled(t *testing.T) {
	r := newJobsRoot(t)
	pid := r.unrelated()
	own, err := processStart(os.Getpid())
	ok(t, err)
	free := r.madeJob(func(rec *jobRecord) { rec.PID = pid })
	r.brain(exitNegative, "job", "cancel", "--force", free.id())
	if rec := r.record(free); rec.State != jobDied {
		t.Errorf("%+v", rec)
	}
	for name, change := range map[string]func(*jobRecord){
		"without its start":    func(rec *jobRecord) { rec.PID = pid },
		"with another's start": func(rec *jobRecord) { rec.PID, rec.Process = pid, own },
		"no process at all":    func(rec *jobRecord) { rec.Process = own },
		"a group of processes": func(rec *jobRecord) { rec.PID, rec.Process = -pid, own },
		"everybody's parent":   func(rec *jobRecord) { rec.PID, rec.Process = 1, own },
		"nobody's number":      func(rec *jobRecord) { rec.PID, rec.Process = 1<<30, own },
	} {
		held := r.madeJob(change)
		unlock, free, err := held.lock()
		if err != nil || !free {
			t.Fatal(free, err)
		}
		out, code := r.run("brain", "job", "cancel", "--force", "--wait", "0", held.id())
		if code != exitConflict && code != exitEnvironment || !strings.Contains(out, "signal process") {
			t.Errorf("%s: exit %d: %s", name, code, out)
		}
		ok(t, unlock())
	}
}

func TestForceSignalsTheProcessOfTheJob(t *testing.T) {
	r := newJobsRoot(t)
	j := r.madeJob(func(rec *jobRecord) { rec.State = jobStarting })
	deaf := exec.Command("brain-deaf", j.dir)
	ok(t, deaf.Start())
	defer deaf.Wait()
	for r.record(j).State != jobRunning {
		time.Sleep(time.Millisecond)
	}
	r.brain(exitBusy, "job", "cancel", "--wait", "1ms", j.id())
	r.brain(exitOK, "job", "cancel", "--force", "--wait", "1m", j.id())
	if rec := r.record(j); rec.State != jobCancelled || rec.Error != "heard" {
		t.Errorf("%+v", rec)
	}
}

func TestTwoJobsAtOnce(t *testing.T) {
	r := newJobsRoot(t)
	one, two := r.detach("sync"), r.detach("sync", "--compact")
	for _, j := range []jobFolder{one, two} {
		r.brain(exitOK, "job", "status", j.id(), "--wait", "1m")
	}
	if one.id() >= two.id() {
		t.Errorf("%s, then %s", one.id(), two.id())
	}
	if out := r.brain(exitOK, "job", "list"); strings.Index(out, one.id()) < strings.Index(out, two.id()) || strings.Count(out, "\n") != 2 {
		t.Errorf("%s", out)
	}
	if out := r.brain(exitOK, "job", "list", "-n", "1"); strings.Count(out, "\n") != 1 {
		t.Errorf("%s", out)
	}
}

func TestJobStartedUnderADeletedFolder(t *testing.T) {
	r := newJobsRoot(t)
	t.Setenv("BRAIN_ROOT", r.Dir)
	out, code := r.run("sh", "-c", "mkdir gone && cd gone && rmdir ../gone && brain-detach sync")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, out)
	}
	r.brain(exitOK, "job", "status", strings.TrimSpace(out), "--wait", "1m")
}

func TestJobThatCannotStart(t *testing.T) {
	r := newJobsRoot(t)
	for name, prepare := range map[string]func(jobs string) error{
		"a file in its place": func(jobs string) error { return os.WriteFile(jobs, nil, 0o644) },
		"a link in its place": func(jobs string) error { return os.Symlink(t.TempDir(), jobs) },
	} {
		ok(t, os.MkdirAll(r.StateDir(), 0o755))
		jobs := filepath.Join(r.StateDir(), "jobs")
		ok(t, prepare(jobs))
		if out, code := r.run("brain-detach", "sync"); code != exitEnvironment || !strings.Contains(out, "start sync in the background") {
			t.Errorf("%s: exit %d: %s", name, code, out)
		}
		r.brain(exitEnvironment, "job", "list")
		ok(t, os.Remove(jobs))
	}
	if os.Geteuid() != 0 {
		ok(t, os.Chmod(r.StateDir(), 0o500))
		if out, code := r.run("brain-detach", "sync"); code != exitEnvironment {
			t.Errorf("read-only: exit %d: %s", code, out)
		}
		ok(t, os.Chmod(r.StateDir(), 0o700))
	}
	if out, code := r.run("brain-detach", "sync", "--brain", "nobody"); code != 0 { // the command's own mistake
		t.Errorf("exit %d: %s", code, out)
	}
	t.Setenv("BRAIN_BRAIN", "nobody")
	if out, code := r.run("brain-detach", "sync"); code != exitNotFound {
		t.Errorf("exit %d: %s", code, out)
	}
}

// A process that ends, or hangs, before it is the job leaves no job behind.
func TestProcessThatNeverBecomesTheJob(t *testing.T) {
	r := newJobsRoot(t)
	for script, want := range map[string]string{
		"echo 'brain: no such thing' >&2; exit 3": "no such thing",
		"exit 3":         "exit status 3",
		"exec sleep 600": context.DeadlineExceeded.Error(),
	} {
		j := r.madeJob(func(rec *jobRecord) { rec.State = jobStarting })
		log, err := os.Create(j.file("err.log"))
		ok(t, err)
		cmd := exec.Command("sh", "-c", script)
		cmd.Stderr = log
		ok(t, cmd.Start())
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		err = new(app).takenOver(ctx, j, cmd)
		stop()
		ok(t, log.Close())
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "brain:") {
			t.Errorf("%s: %v", script, err)
		}
		if _, err := os.Lstat(j.dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", script, err)
		}
	}
}

func TestOldJobsAreRemoved(t *testing.T) {
	r := newJobsRoot(t)
	r.madeJob(func(*jobRecord) {})
	dir, err := jobsDir(r.Root)
	ok(t, err)
	add := func(n int, began time.Time, state string) jobFolder {
		id := "job-" + began.Format(jobIDTime) + "-" + fmt.Sprintf("%06d", n)
		j := jobFolder{filepath.Join(dir, id)}
		ok(t, os.Mkdir(j.dir, 0o700))
		ok(t, os.WriteFile(j.file("LOCK"), nil, 0o600))
		ok(t, j.write(&jobRecord{Format: jobFormat, ID: id, State: state, Started: began, Ended: began}))
		return j
	}
	now := time.Now().UTC()
	running := add(999, now.AddDate(0, 0, -40), jobRunning)
	unlock, _, err := running.lock()
	ok(t, err)
	defer unlock()
	add(998, now.AddDate(0, 0, -31), jobDone)
	last := add(997, now.AddDate(0, 0, -29), jobFailed)
	ok(t, reclaimJobs(r.Root))
	left := func() (ids []string) {
		folders, err := jobFolders(r.Root)
		ok(t, err)
		for _, j := range folders {
			ids = append(ids, j.id())
		}
		return ids
	}
	if ids := left(); len(ids) != 3 || ids[1] != last.id() || ids[2] != running.id() {
		t.Errorf("%v", ids)
	}
	for n := range keepJobs {
		add(n, now.Add(-time.Duration(n)*time.Minute), jobDone)
	}
	ok(t, reclaimJobs(r.Root))
	if ids := left(); len(ids) != keepJobs+1 || ids[keepJobs] != running.id() {
		t.Errorf("%d left", len(ids))
	}
}

// A job that never came to run has died, also when the clock was set back since (L11).
func TestJobThatNeverStartedHasDied(t *testing.T) {
	r := newJobsRoot(t)
	for _, ago := range []time.Duration{2 * jobStarts, -48 * time.Hour} {
		j := r.madeJob(func(rec *jobRecord) { rec.State, rec.Started = jobStarting, time.Now().Add(-ago).UTC() })
		if rec, err := j.look(); err != nil || rec.State != jobDied {
			t.Errorf("begun %v ago: %+v, %v", ago, rec, err)
		}
	}
	j := r.madeJob(func(rec *jobRecord) { rec.State, rec.Started = jobStarting, time.Now().UTC() })
	if rec, err := j.look(); err != nil || rec.State != jobStarting {
		t.Errorf("begun now: %+v, %v", rec, err)
	}
}

// said adds a session that waits to be compiled.
func (r *jobsRoot) said(id string, texts ...string) *inbox.Box {
	r.Helper()
	box, err := inbox.Open(filepath.Join(r.Dir, "brains", "default"))
	ok(r.T, err)
	r.Cleanup(func() { ok(r.T, box.Close()) })
	s := inbox.Session{ID: id, At: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
	for _, text := range texts {
		s.Turns = append(s.Turns, page.Turn{Role: "user", Text: text}, page.Turn{Role: "assistant", Text: "Noted."})
	}
	_, err = box.Add(r.Context(), s)
	ok(r.T, err)
	return box
}

func TestCompileInTheBackground(t *testing.T) {
	r := newJobsRoot(t)
	box := r.said("s1", "Remember: the ledger runs on PostgreSQL.")
	r.said("s2", "请记住：账本用 PostgreSQL。")
	r.brain(exitUsage, "compile", "--detach", "--dry-run")
	r.brain(exitNotFound, "compile", "--detach", "s3")
	if folders, err := jobFolders(r.Root); len(folders) != 0 || err != nil {
		t.Errorf("%v, %v", folders, err)
	}
	out := r.brain(exitOK, "compile", "--detach", "--quiet")
	j, err := findJob(r.Root, strings.TrimSpace(out))
	ok(t, err)
	r.brain(exitOK, "job", "status", "--wait", "1m", j.id())
	if p := r.record(j).Progress; p.Done != 2 || p.Total != 2 {
		t.Errorf("%v", p)
	}
	if m, err := box.Meta(t.Context(), "s1"); err != nil || m.State != inbox.Done {
		t.Errorf("%+v, %v", m, err)
	}
	raw, err := os.ReadFile(j.file("out.jsonl"))
	ok(t, err)
	if lines := bytes.Split(bytes.TrimSpace(raw), []byte("\n")); len(lines) != 3 || !json.Valid(lines[0]) || !json.Valid(lines[2]) {
		t.Errorf("%s", raw)
	}
	out = r.brain(exitOK, "compile", "--detach", "--json", "s1")
	if err := validate("job-status", []byte(out)); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	r.brain(exitOK, "forget", "a.md", "--purge", "--confirm")
	r.brain(exitNotFound, "job", "status", j.id())
}

// silentModel is a model server that takes requests and answers none.
func (r *jobsRoot) silentModel() {
	r.Helper()
	asked := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		io.Copy(io.Discard, q.Body)
		<-q.Context().Done()
	}))
	r.Cleanup(asked.Close)
	for name, value := range map[string]string{"PROVIDER": "ollama", "MODEL": "m", "URL": asked.URL} {
		r.Setenv("BRAIN_LLM_"+name, value)
	}
}

// compiling starts a compile of a session, and gives its job when it has the session
// and waits for the model.
func (r *jobsRoot) compiling(box *inbox.Box, id string) jobFolder {
	r.Helper()
	r.silentModel()
	j := r.detach("compile")
	for {
		switch m, err := box.Meta(r.Context(), id); {
		case err != nil || m.State == inbox.Done || m.State == inbox.Failed:
			r.Fatalf("%+v, %v", m, err)
		case m.State == inbox.Compiling:
			return j
		}
	}
}

// A compile that is killed in the middle leaves its session to the next one.
func TestKilledCompileIsDoneByTheNext(t *testing.T) {
	r := newJobsRoot(t)
	box := r.said("s1", "Remember: the ledger runs on PostgreSQL.")
	j := r.compiling(box, "s1")
	ok(t, syscall.Kill(r.record(j).PID, syscall.SIGKILL))
	if rec, err := j.wait(t.Context(), time.Minute); err != nil || rec.State != jobDied {
		t.Errorf("%+v, %v", rec, err)
	}
	if m, err := box.Meta(t.Context(), "s1"); err != nil || m.State != inbox.Pending || m.Compiled != 0 {
		t.Errorf("%+v, %v", m, err)
	}
	r.brain(exitOK, "compile", "--mode", "rules")
	if m, err := box.Meta(t.Context(), "s1"); err != nil || m.State != inbox.Done || m.Compiled != 2 {
		t.Errorf("%+v, %v", m, err)
	}
}

// A compile that is cancelled gives the question up, and the session back.
func TestCancelledCompileGivesItsSessionBack(t *testing.T) {
	r := newJobsRoot(t)
	box := r.said("s1", "请记住：账本用 PostgreSQL。")
	j := r.compiling(box, "s1")
	r.brain(exitOK, "job", "cancel", "--wait", "1m", j.id())
	if rec := r.record(j); rec.State != jobCancelled {
		t.Errorf("%+v", rec)
	}
	if m, err := box.Meta(t.Context(), "s1"); err != nil || m.State != inbox.Pending || m.Compiled != 0 || m.Error != "" {
		t.Errorf("%+v, %v", m, err)
	}
}

// Of two that compile at once one has the session.
func TestTwoCompilesAtOnce(t *testing.T) {
	r := newJobsRoot(t)
	box := r.said("s1", "Remember: the ledger runs on PostgreSQL.")
	one := r.compiling(box, "s1")
	two := r.detach("compile", "--mode", "rules")
	r.brain(exitOK, "job", "status", "--wait", "1m", two.id())
	if m, err := box.Meta(t.Context(), "s1"); err != nil || m.State != inbox.Compiling || m.Writer.PID != r.record(one).PID {
		t.Errorf("%+v, %v", m, err)
	}
}

// A record can be half written, of a newer program, or somebody's bait.
func TestDamagedJobs(t *testing.T) {
	r := newJobsRoot(t)
	bait := r.madeJob(func(rec *jobRecord) {
		rec.Kind, rec.Brain, rec.Error, rec.State = "\x1b[2Jcompile", "a\nb", "\u202eevil\x07", jobFailed
	})
	for _, broken := range []string{"", "{", `{"id":"job-20200101-000000.000-aaaaaa","state":"running"}`, `{"id":"ID","format":2,"state":"running"}`} {
		j := r.madeJob(func(*jobRecord) {})
		ok(t, os.WriteFile(j.file("job.json"), []byte(strings.Replace(broken, "ID", j.id(), 1)), 0o600))
		r.brain(exitEnvironment, "job", "status", j.id())
		r.brain(exitEnvironment, "job", "cancel", j.id())
	}
	fifo := r.madeJob(func(*jobRecord) {})
	ok(t, os.Remove(fifo.file("job.json")))
	ok(t, unix.Mkfifo(fifo.file("job.json"), 0o600))
	out := r.brain(exitOK, "job", "list")
	if strings.Count(out, jobDied) != 5 || strings.Count(out, "\n") != 6 || strings.ContainsAny(out, "\x1b\x07") {
		t.Errorf("%q", out)
	}
	if out := r.brain(exitNegative, "job", "status", bait.id()); strings.ContainsAny(out, "\x1b\x07\u202e") {
		t.Errorf("%q", out)
	}
	for _, id := range []string{"../x", "job-1", "job-20200101-000000.000-aaaaaa", "20200101-000000.000-aaaaaa"} {
		r.brain(exitNotFound, "job", "status", id)
	}
}

func TestJobTellsHowFarItIs(t *testing.T) {
	r := newJobsRoot(t)
	j := &runningJob{jobFolder: r.madeJob(func(rec *jobRecord) { rec.State = jobStarting })}
	unlock, err := j.takeOver(t.Context())
	ok(t, err)
	a := &app{job: j}
	for n := range 3 {
		a.tellJob(jobProgress{Done: n + 1, Total: 12, Counts: map[string]int{"pages": 2 * n}})
	}
	if p := r.record(j.jobFolder).Progress; p.Done != 1 {
		t.Errorf("every step is written: %v", p)
	}
	ok(t, j.finish(exitOK, ""))
	ok(t, unlock())
	if out := r.brain(exitOK, "job", "status", j.id()); !strings.Contains(out, "\nprogress: 3 of 12, 4 pages\n") {
		t.Errorf("%s", out)
	}
	if out := r.brain(exitOK, "job", "list"); !strings.Contains(out, " 3/12 ") {
		t.Errorf("%s", out)
	}
	new(app).tellJob(jobProgress{}) // no job: nothing
	if _, err := j.takeOver(t.Context()); err == nil {
		t.Error("a job ran twice")
	}
}

func TestOutputOfAJobIsBounded(t *testing.T) {
	var b bytes.Buffer
	w := &bounded{to: &b, left: 10}
	for _, s := range []string{"12345\n", "too long\n", "1\n"} {
		if n, err := w.Write([]byte(s)); n != len(s) || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	if b.String() != "12345\n" {
		t.Errorf("%q", b.String())
	}
}

func TestProcessStartTellsProcessesApart(t *testing.T) {
	own, err := processStart(os.Getpid())
	ok(t, err)
	again, err := processStart(os.Getpid())
	ok(t, err)
	parent, err := processStart(os.Getppid())
	ok(t, err)
	if own != again || own == parent || own == "" {
		t.Errorf("%q, %q, %q", own, again, parent)
	}
	if at, err := processStart(1 << 30); err == nil {
		t.Errorf("of nobody: %q", at)
	}
	if _, err := strconv.Atoi(own); err == nil {
		t.Errorf("%q alone is no proof across a restart of the system", own)
	}
	var rec jobRecord
	ok(t, json.Unmarshal([]byte(`{"process":"`+own+`"}`), &rec))
}
