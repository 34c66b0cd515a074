package main

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strconv"

	"dialpoint/server/rules"
)

// maxLine is how much of a line is looked at, in bytes.
const maxLine = 64 << 10

// announcements reads, in what a dashboard prints, the ports that it says it listens on. It keeps one unfinished line at
// most, and of that no more than maxLine.
type announcements struct {
	pattern readyPattern
	// found is called with each port, warn with what is wrong with one.
	found func(port uint16)
	warn  func(problem string)

	// line is the unfinished line. It is cut where there was more than is kept.
	line []byte
	cut  bool
}

// read reads the next piece of the output, which may begin and end anywhere.
//
// A carriage return ends a line, too: it stands before the line feed where lines end as on Windows, and lets one line take
// the place of another where progress is shown.
func (a *announcements) read(text []byte) {
	for {
		end := bytes.IndexAny(text, "\r\n")
		if end < 0 {
			a.keep(text)
			return
		}
		a.finish(text[:end])
		text = text[end+1:]
	}
}

// keep adds to the unfinished line.
func (a *announcements) keep(part []byte) {
	room := maxLine - len(a.line)
	a.cut = a.cut || len(part) > room
	a.line = append(a.line, part[:min(len(part), room)]...)
}

// finish looks at a line whose last part this is.
func (a *announcements) finish(part []byte) {
	if len(a.line) == 0 && len(part) <= maxLine {
		a.look(part)
		return
	}
	a.keep(part)
	a.look(a.line)
	a.line, a.cut = a.line[:0], false
}

// end looks at a last line that nothing has ended.
func (a *announcements) end() { a.finish(nil) }

func (a *announcements) look(line []byte) {
	text, announced := a.pattern.find(line, a.cut)
	if !announced {
		return
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 {
		a.warn(fmt.Sprintf("the dashboard announces the port %s, which is ignored: it is not from 1 to %d", rules.Quote(text), math.MaxUint16))
		return
	}
	a.found(uint16(port))
}

// readyPattern finds the port in a line.
type readyPattern struct {
	expression *regexp.Regexp
	// group is the group that holds the port.
	group int
	// hint stands in every line that can match, so that most others are passed over quickly.
	hint []byte
}

// hermesReady is what a Hermes dashboard or backend prints once it listens. It need not begin the line: what else shares
// the output may not have ended its own.
var hermesReady = readyPattern{
	expression: regexp.MustCompile(`(?:^|[^A-Za-z_])HERMES_(?:DASHBOARD|BACKEND)_READY port=([0-9]+)(?:\s|$)`),
	group:      1,
	hint:       []byte("_READY port="),
}

// parseReadyPattern reads --ready-pattern. Empty is [hermesReady].
func parseReadyPattern(text string) (readyPattern, error) {
	if text == "" {
		return hermesReady, nil
	}
	expression, err := regexp.Compile(text)
	switch {
	case err != nil:
		return readyPattern{}, fmt.Errorf("--ready-pattern: %w", err)
	case expression.NumSubexp() == 0:
		return readyPattern{}, fmt.Errorf("--ready-pattern %q: it has no group for the port, such as port=([0-9]+)", text)
	}
	return readyPattern{expression: expression, group: max(expression.SubexpIndex("port"), 1)}, nil
}

// escapes are what a terminal takes for commands: colours, titles, character sets (ECMA-48, section 5.4 and 8.3.89).
var escapes = regexp.MustCompile(`\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])`)

// find is what stands in a line in the place of the port. At the end of a line that was cut it may not be whole, and does
// not count.
func (p readyPattern) find(line []byte, cut bool) (text string, found bool) {
	if bytes.IndexByte(line, '\x1b') >= 0 {
		line = escapes.ReplaceAll(line, nil)
	}
	if !bytes.Contains(line, p.hint) {
		return "", false
	}
	at := p.expression.FindSubmatchIndex(line)
	if at == nil {
		return "", false
	}
	begin, end := at[2*p.group], at[2*p.group+1]
	if begin < 0 || cut && end == len(line) {
		return "", false
	}
	return string(line[begin:end]), true
}
