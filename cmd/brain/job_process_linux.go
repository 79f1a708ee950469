package main

import (
	"fmt"
	"os"
	"strings"
)

// processStart says when a process began: the boot, and the ticks since then. No other
// process with that pid has the same.
func processStart(pid int) (string, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", err
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", err
	}
	// The second field is the program's name in brackets, whatever it holds; the start
	// is the 22nd.
	_, after, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " ")
	fields := strings.Fields(after)
	if len(fields) < 20 {
		return "", fmt.Errorf("/proc/%d/stat: %d fields", pid, len(fields))
	}
	return strings.TrimSpace(string(boot)) + "/" + fields[19], nil
}
