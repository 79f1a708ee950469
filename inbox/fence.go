package inbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"time"

	"brain/page"
)

// A fence makes worthless what is being compiled: whoever clears an agent's
// memory raises it, and what was begun before is not written after. It is a number
// for each agent and one for all, in sessions/fences.json:
//
//	{"format":1,"all":2,"agents":{"coder":5}}
//
// A lease remembers the number at which it began.

const (
	fenceFile = sessionsDir + "/fences.json"
	fenceTemp = sessionsDir + "/fences.new.json"
)

type fences struct {
	Format int              `json:"format"`
	All    int64            `json:"all"`
	Agents map[string]int64 `json:"agents,omitempty"`
}

func (f fences) of(agent string) int64 { return f.All + f.Agents[agent] }

// RaiseFence makes worthless what is being compiled of an agent's sessions, of
// all when agent is "". It returns when that would survive a power cut.
func (ib *Box) RaiseFence(ctx context.Context, agent string) (err error) {
	if agent != "" {
		if agent, err = page.AgentName(agent); err != nil {
			return fmt.Errorf("raise a fence: %w: %w", ErrInvalid, err)
		}
	}
	unlock, err := ib.lock(ctx, fenceLock)
	if err != nil {
		return fmt.Errorf("raise the fence of %q: %w", agent, err)
	}
	if err = errors.Join(ib.raise(agent), unlock()); err != nil {
		return fmt.Errorf("raise the fence of %q: %w", agent, err)
	}
	return nil
}

func (ib *Box) raise(agent string) error {
	f, err := ib.fences()
	if errors.Is(err, ErrNewer) {
		return err
	}
	if err != nil {
		f = fences{All: time.Now().Unix()} // above whatever the broken one counted
	}
	f.Format = 1
	if agent == "" {
		f.All++
	} else {
		if f.Agents == nil {
			f.Agents = map[string]int64{}
		}
		f.Agents[agent]++
	}
	raw, err := json.Marshal(f)
	if err == nil {
		err = ib.makeFolders(sessionsDir)
	}
	if err != nil {
		return err
	}
	return ib.replace(fenceTemp, fenceFile, append(raw, '\n'))
}

// fences reads the numbers; without a file they are 0.
func (ib *Box) fences() (f fences, err error) {
	file, err := ib.open(fenceFile, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return f, err
	}
	defer file.Close()
	raw, _, err := readAll(file)
	if err == nil {
		err = json.Unmarshal(raw, &f)
	}
	switch {
	case f.Format > 1:
		return f, fmt.Errorf("%s: %w: its format is %d, known is 1", path.Base(fenceFile), ErrNewer, f.Format)
	case err != nil:
		return fences{}, fmt.Errorf("%s: %w", fenceFile, err)
	}
	return f, nil
}
