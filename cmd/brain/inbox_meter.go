package main

import "io"

// How far the reading of conversations is, by bytes, since one file may hold thousands.

// sizeOf is that of all files, 0 when one is not known.
func sizeOf(files []conversationFile) (sum int64) {
	for _, f := range files {
		if f.size < 0 {
			return 0
		}
		sum += f.size
	}
	return sum
}

// metered counts the bytes that are read.
type metered struct {
	io.Reader
	n *int64
}

func (m metered) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	*m.n += int64(n)
	return n, err
}

// show draws how far the reading is: sessions are written as fast as they are read.
func (in *intake) show() {
	in.bar.mu.Lock()
	defer in.bar.mu.Unlock()
	in.bar.draw("add KiB", int(in.done>>10), int(in.size>>10))
}
