package page

import "testing"

func TestNameForm(t *testing.T) {
	for _, group := range [][]string{
		{"Foo Bar", "foo-bar", "foo_bar", " FOO  BAR ", "ＦＯＯ＿ＢＡＲ", "Foo–Bar"},
		{"乔治·奥威尔", "乔治・奥威尔", "乔治 奥威尔"},
		{"C++"}, {"C#"}, {"C"}, {"支付系统"}, {"支付系统2"},
	} {
		for _, name := range group {
			if got, want := NameForm(name), NameForm(group[0]); got != want || got == "" {
				t.Errorf("%q: %q, want %q", name, got, want)
			}
		}
	}
	seen := map[string]string{}
	for _, name := range []string{"foo bar", "foobar", "C++", "C#", "C", "支付系统", "支付系统2"} {
		if other, ok := seen[NameForm(name)]; ok {
			t.Errorf("%q and %q have one form", name, other)
		}
		seen[NameForm(name)] = name
	}
	if NameForm(" - _") != "" {
		t.Error("separators alone are a name")
	}
}
