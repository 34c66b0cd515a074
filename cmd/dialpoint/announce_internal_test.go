package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// heard is what was announced in an output that came in these pieces.
func heard(pattern readyPattern, pieces ...string) (ports []uint16, problems []string) {
	reader := announcements{
		pattern: pattern,
		found:   func(port uint16) { ports = append(ports, port) },
		warn:    func(problem string) { problems = append(problems, problem) },
	}
	for _, piece := range pieces {
		reader.read([]byte(piece))
	}
	reader.end()
	return ports, problems
}

var outputs = map[string]struct {
	text  string
	ports []uint16
}{
	"dashboard":              {"HERMES_DASHBOARD_READY port=41001\n", []uint16{41001}},
	"backend":                {"HERMES_BACKEND_READY port=41001\n", []uint16{41001}},
	"among other lines":      {"starting\n\nHERMES_DASHBOARD_READY port=41001\nINFO: started\n", []uint16{41001}},
	"on another port":        {"HERMES_DASHBOARD_READY port=41001\nrestart\nHERMES_DASHBOARD_READY port=41002\n", []uint16{41001, 41002}},
	"twice the same":         {"HERMES_DASHBOARD_READY port=41001\nHERMES_DASHBOARD_READY port=41001\n", []uint16{41001, 41001}},
	"lines of Windows":       {"starting\r\nHERMES_DASHBOARD_READY port=41001\r\n", []uint16{41001}},
	"over a progress bar":    {"10 %\r100 %\rHERMES_DASHBOARD_READY port=41001\n", []uint16{41001}},
	"over a long one":        {strings.Repeat("10 %\r", maxLine) + "HERMES_DASHBOARD_READY port=41001\n", []uint16{41001}},
	"under a progress bar":   {"HERMES_DASHBOARD_READY port=41001\r100 %\n", []uint16{41001}},
	"no line end":            {"HERMES_DASHBOARD_READY port=41001", []uint16{41001}},
	"colours around":         {"\x1b[1;32mHERMES_DASHBOARD_READY port=41001\x1b[0m\n", []uint16{41001}},
	"colours within":         {"\x1b[1mHERMES_DASHBOARD_READY\x1b[m port=\x1b[38:5:208m41001\x1b[0m\n", []uint16{41001}},
	"a title before":         {"\x1b]0;Hermes\x07HERMES_DASHBOARD_READY port=41001\n", []uint16{41001}},
	"a title, other end":     {"\x1b]0;Hermes\x1b\\HERMES_DASHBOARD_READY port=41001\n", []uint16{41001}},
	"a character set":        {"\x1b(BHERMES_DASHBOARD_READY port=41001\x1b(B\n", []uint16{41001}},
	"a broken escape":        {"\x1b\nHERMES_DASHBOARD_READY port=41001\n\x1b", []uint16{41001}},
	"no UTF-8":               {"\xff\xfe\nHERMES_DASHBOARD_READY port=41001\n\xc3", []uint16{41001}},
	"no UTF-8, one line":     {"\xff\xfe HERMES_DASHBOARD_READY port=41001 \xc3\n", []uint16{41001}},
	"zero bytes":             {"\x00\x00HERMES_DASHBOARD_READY port=41001\n", []uint16{41001}},
	"more behind":            {"HERMES_DASHBOARD_READY port=41001 pid=7\n", []uint16{41001}},
	"behind an unended line": {"listening on 127.0.0.1:8630HERMES_BACKEND_READY port=8630\n", []uint16{8630}},
	"smallest":               {"HERMES_DASHBOARD_READY port=1\n", []uint16{1}},
	"largest":                {"HERMES_DASHBOARD_READY port=65535\n", []uint16{65535}},
	"zeros before":           {"HERMES_DASHBOARD_READY port=041001\n", []uint16{41001}},
	"long line after":        {"HERMES_DASHBOARD_READY port=41001 " + strings.Repeat("x", 3*maxLine) + "\nHERMES_DASHBOARD_READY port=41002\n", []uint16{41001, 41002}},
	"as long as can be":      {strings.Repeat(" ", maxLine-34) + "HERMES_DASHBOARD_READY port=41001\n", []uint16{41001}},

	"nothing":              {"", nil},
	"no port":              {"HERMES_DASHBOARD_READY port=\n", nil},
	"no number":            {"HERMES_DASHBOARD_READY port=http\n", nil},
	"number with a tail":   {"HERMES_DASHBOARD_READY port=41001x\n", nil},
	"quoted":               {"print(\"HERMES_DASHBOARD_READY port=41001\")\n", nil},
	"negative":             {"HERMES_DASHBOARD_READY port=-1\n", nil},
	"another name":         {"MY_HERMES_DASHBOARD_READY port=41001\n", nil},
	"another case":         {"hermes_dashboard_ready port=41001\n", nil},
	"over two lines":       {"HERMES_DASHBOARD_READY\nport=41001\n", nil},
	"far down a line":      {strings.Repeat("x", maxLine) + "HERMES_DASHBOARD_READY port=41001\n", nil},
	"cut amid the port":    {strings.Repeat(" ", maxLine-30) + "HERMES_DASHBOARD_READY port=41001\n", nil},
	"cut behind the port":  {strings.Repeat(" ", maxLine-33) + "HERMES_DASHBOARD_READY port=41001 \n", nil},
	"carriage in the port": {"HERMES_DASHBOARD_READY port=\r41001\n", nil},
}

// TestAnnouncements in one piece, byte by byte, and in pieces of every kind.
func TestAnnouncements(t *testing.T) {
	t.Parallel()
	for name, test := range outputs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, size := range []int{1, 2, 3, 7, 1000, maxLine, len(test.text) + 1} {
				var pieces []string
				for piece := range slices.Chunk([]byte(test.text), size) {
					pieces = append(pieces, string(piece))
				}
				ports, problems := heard(hermesReady, pieces...)
				if diff := cmp.Diff(test.ports, ports); diff != "" || problems != nil {
					t.Errorf("in pieces of %d: problems %q, ports (-want +got):\n%s", size, problems, diff)
				}
			}
		})
	}
}

// TestBadPorts are told of and ignored. The next good one counts.
func TestBadPorts(t *testing.T) {
	t.Parallel()
	for _, port := range []string{"0", "00", "65536", "70000", "184467440737095516160", strings.Repeat("9", 1000)} {
		ports, problems := heard(hermesReady, "HERMES_DASHBOARD_READY port=", port, "\nHERMES_DASHBOARD_READY port=41001\n")
		if len(problems) != 1 || !strings.Contains(problems[0], "is not from 1 to 65535") || len(problems[0]) > 300 {
			t.Errorf("port %s: problems %q", port, problems)
		}
		if !slices.Equal(ports, []uint16{41001}) {
			t.Errorf("port %s: then %v", port, ports)
		}
	}
}

func TestReadyPattern(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		pattern, text string
		ports         []uint16
		problems      int
	}{
		"the first group":     {`listening on .*:(\d+)`, "listening on http://localhost:3000\n", []uint16{3000}, 0},
		"the named group":     {`(\w+) at (?P<port>\d+)`, "ready at 3000\n", []uint16{3000}, 0},
		"as others write it":  {`(\w+) at (?<port>\d+)`, "ready at 3000\n", []uint16{3000}, 0},
		"one line at a time":  {`(?s)ready.*?(\d+)`, "ready\n3000\n", nil, 0},
		"line ends":           {`^ready (\d+)$`, "ready 3000\r\n ready 3001\n", []uint16{3000}, 0},
		"colours do not show": {`^ready (\d+)$`, "\x1b[32mready \x1b[1m3000\x1b[0m\n", []uint16{3000}, 0},
		"not Hermes":          {`^ready (\d+)$`, "HERMES_DASHBOARD_READY port=41001\n", nil, 0},
		"a group of nothing":  {`ready(?: (\d+))?`, "ready\n", nil, 0},
		"an empty port":       {`ready (\d*)`, "ready \n", nil, 1},
		"no number":           {`ready (.*)`, "ready soon\n", nil, 1},
		"no decimal number":   {`ready (.*)`, "ready 0x10\nready +80\nready 80.5\n", nil, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pattern, err := parseReadyPattern(test.pattern)
			if err != nil {
				t.Fatal(err)
			}
			ports, problems := heard(pattern, test.text)
			if diff := cmp.Diff(test.ports, ports); diff != "" || len(problems) != test.problems {
				t.Errorf("problems %q, want %d, ports (-want +got):\n%s", problems, test.problems, diff)
			}
		})
	}
}

func TestBadReadyPattern(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		`port=\d+`:  "it has no group for the port",
		`port=(\d+`: "missing closing )",
	} {
		if _, err := parseReadyPattern(pattern); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", pattern, err, want)
		}
	}
}

// TestLongLinesTakeLittle: whatever a dashboard prints, no more is kept than the beginning of a line.
func TestLongLinesTakeLittle(t *testing.T) {
	t.Parallel()
	var reader announcements
	piece := bytes.Repeat([]byte("x"), 1<<20)
	for range 100 {
		reader.read(piece)
	}
	if len(reader.line) != maxLine || cap(reader.line) > 2*maxLine {
		t.Errorf("it keeps %d of %d bytes, want %d", len(reader.line), cap(reader.line), maxLine)
	}
}

// FuzzAnnouncements: nothing that a dashboard prints does harm, and it does not matter in which pieces it comes.
func FuzzAnnouncements(f *testing.F) {
	for _, output := range outputs {
		f.Add(output.text, uint(7))
	}
	f.Fuzz(func(t *testing.T, text string, at uint) {
		ports, problems := heard(hermesReady, text)
		if slices.Contains(ports, 0) {
			t.Error("port 0 was taken")
		}
		cut := int(at % uint(len(text)+1))
		inPieces, problemsThen := heard(hermesReady, text[:cut], text[cut:])
		if !slices.Equal(ports, inPieces) || !slices.Equal(problems, problemsThen) {
			t.Errorf("cut at %d: %v and %q, in one piece %v and %q", cut, inPieces, problemsThen, ports, problems)
		}
		if strings.Count(text, "HERMES_") < len(ports)+len(problems) && !strings.Contains(text, "\x1b") {
			t.Errorf("%v and %q come from nowhere", ports, problems)
		}
	})
}

// FuzzReadyPattern: a pattern is refused, or finds something in a line or not.
func FuzzReadyPattern(f *testing.F) {
	f.Add(`listening on .*:(\d+)`, "listening on :3000")
	f.Add(`(?P<a>x)(?P<port>\d*)`, "x")
	f.Add(`(`, "")
	f.Fuzz(func(t *testing.T, expression, line string) {
		if len(expression) > 100 {
			t.Skip("it takes long to compile")
		}
		pattern, err := parseReadyPattern(expression)
		if err != nil {
			return
		}
		if text, _ := pattern.find([]byte(line), false); len(text) > len(line) {
			t.Errorf("%q is longer than the line", text)
		}
	})
}

// BenchmarkAnnouncements reads what a talkative dashboard prints, beside a mere copy of it.
func BenchmarkAnnouncements(b *testing.B) {
	output := bytes.Repeat([]byte("2026-11-30T07:24:54.103Z INFO     uvicorn.access: 127.0.0.1:51234 - \"GET /api/status HTTP/1.1\" 200 OK\n"), 600)
	b.Run("read", func(b *testing.B) {
		reader := announcements{pattern: hermesReady}
		b.SetBytes(int64(len(output)))
		for b.Loop() {
			reader.read(output)
		}
	})
	b.Run("copy", func(b *testing.B) {
		into := make([]byte, len(output))
		b.SetBytes(int64(len(output)))
		for b.Loop() {
			copy(into, output)
		}
	})
}
