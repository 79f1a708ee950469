package memory

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"
)

// testdata/scalars.jsonl was written by PyYAML 6.0.3:
//
//	yaml.safe_dump({"sourceError": s, "topics": [s], "source": {"threadId": s}}, allow_unicode=True, sort_keys=False)
func TestTextIsWrittenAsPyYAMLWritesIt(t *testing.T) {

	file, err := os.Open("testdata/scalars.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	n := 0
	for lines := bufio.NewScanner(file); lines.Scan(); n++ {
		var v struct{ Text, YAML string }
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		got := scalarLine("sourceError", v.Text) + listLines("topics", []string{v.Text}) + "source:\n  threadId: " + scalar(v.Text, 12, 4) + "\n"
		if got != v.YAML {
			t.Errorf("%q:\n%s\nwant\n%s", v.Text, got, v.YAML)
		}
	}
	if n < 200 {
		t.Errorf("%d texts", n)
	}
}
