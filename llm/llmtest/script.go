package llmtest

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseScript reads what a Chat serves and says, in a form that can lie in a file of
// tests:
//
//	=== server window=2048 thinks refuses=json_schema,max_tokens
//	=== match="the heron" times=2
//	{"items": ["the heron is grey"]}
//	=== status=429 retry-after=1
//	slow down
//	=== cut
//	{"items": []}
//
// A line that begins with === begins a reply, what follows is its text (its message,
// with a status). The fields are those of Reply and of ChatOptions in lower case, with a
// dash for each further word; a value with spaces stands in quotes.
func ParseScript(text string) (o ChatOptions, replies []Reply, err error) {
	var reply *Reply
	for n, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		head, isHead := strings.CutPrefix(line, "===")
		switch {
		case !isHead && reply == nil && strings.TrimSpace(line) != "":
			return o, nil, fmt.Errorf("line %d: a reply begins with ===", n+1)
		case !isHead && reply != nil:
			reply.Text += line + "\n"
		case isHead:
			fields, err := readFields(head)
			if err == nil && len(fields) > 0 && fields[0].name == "server" {
				reply, err = nil, o.set(fields[1:])
			} else if err == nil {
				replies = append(replies, Reply{})
				reply = &replies[len(replies)-1]
				err = reply.set(fields)
			}
			if err != nil {
				return o, nil, fmt.Errorf("line %d: %w", n+1, err)
			}
		}
	}
	for i := range replies {
		r := &replies[i]
		r.Text = strings.TrimRight(r.Text, "\n")
		if r.Status != 0 {
			r.Message, r.Text = r.Text, ""
		}
	}
	return o, replies, nil
}

// field is name=value, or a name alone.
type field struct{ name, value string }

func readFields(head string) (fields []field, err error) {
	for head = strings.TrimSpace(head); head != ""; head = strings.TrimSpace(head) {
		end := strings.IndexAny(head, "= ")
		if end < 0 || head[end] == ' ' {
			name, rest, _ := strings.Cut(head, " ")
			fields, head = append(fields, field{name: name}), rest
			continue
		}
		f := field{name: head[:end]}
		head = head[end+1:]
		if quoted, err := strconv.QuotedPrefix(head); err == nil {
			head = head[len(quoted):]
			if f.value, err = strconv.Unquote(quoted); err != nil {
				return nil, err
			}
		} else {
			f.value, head, _ = strings.Cut(head, " ")
		}
		fields = append(fields, f)
	}
	return fields, nil
}

func (r *Reply) set(fields []field) error {
	for _, f := range fields {
		var err error
		switch f.name {
		case "match":
			r.Match = f.value
		case "times":
			r.Times, err = strconv.Atoi(f.value)
		case "thinking":
			r.Thinking = f.value
		case "reason":
			r.Reason = f.value
		case "status":
			r.Status, err = strconv.Atoi(f.value)
		case "retry-after":
			r.RetryAfter = f.value
		case "raw":
			r.Raw = f.value
		case "type":
			r.Type = f.value
		case "cut":
			r.Cut = true
		case "undone":
			r.Undone = true
		case "hang":
			r.Hang = true
		default:
			err = fmt.Errorf("a reply has no field %q", f.name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (o *ChatOptions) set(fields []field) error {
	for _, f := range fields {
		var err error
		switch f.name {
		case "model":
			o.Model = f.value
		case "window":
			o.Window, err = strconv.Atoi(f.value)
		case "thinks":
			o.Thinks = true
		case "key":
			o.Key = f.value
		case "website":
			o.Website = true
		case "refuses":
			o.Refuses = strings.Split(f.value, ",")
		default:
			err = fmt.Errorf("a server has no field %q", f.name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
