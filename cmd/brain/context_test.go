package main

import (
	"testing"

	"brain/inbox"
	"brain/memory"
)

func TestWhatIsShownToAnAgentIsNotCapturedAgain(t *testing.T) {
	if memory.MemoryTag != inbox.MemoryTag {
		t.Errorf("memory is shown in <%s>, and what stands in <%s> is not captured", memory.MemoryTag, inbox.MemoryTag)
	}
}
