package config

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
)

// reading is one pass over all sources. It goes on after a problem, so that an operator sees all of them at once.
type reading struct {
	sources Sources
	files   files
	// file is the path of the configuration file, document what it says.
	file     string
	document document

	// problems are all that is wrong, and err is them joined. There is a config where there are none.
	problems []error
	config   *Config
	err      error
}

// read reads everything there is to read. A path pins the file where a search would be made otherwise: once a file is
// in force, that it is gone must be an error and not another configuration.
func (l *Loader) read(pinned string) *reading {
	r := &reading{sources: l.sources, config: &Config{}}
	if err := r.readDocument(pinned); err != nil {
		r.problem(err)
	} else {
		r.readValues()
	}
	if r.err = errors.Join(r.problems...); r.err != nil {
		r.config = nil
	}
	return r
}

// fingerprint tells apart what two readings found.
type fingerprint [sha256.Size]byte

// fingerprint is of all that was read. Where nothing could be, it is of the error.
func (r *reading) fingerprint() fingerprint {
	seen := r.files.seen.String()
	if seen == "" {
		seen = fmt.Sprint(r.err)
	}
	return sha256.Sum256([]byte(seen))
}

// readDocument finds and reads the file. The error is one that leaves nothing of it to read.
func (r *reading) readDocument(pinned string) error {
	path, source := pinned, ""
	if pinned == "" {
		var err error
		if path, source, err = r.sources.locate(); err != nil || path == "" {
			r.files.await(r.sources.candidates())
			return err
		}
	}
	r.file = path
	if err := r.readFile(path); err != nil {
		return fmt.Errorf("file %s%s: %w", path, inBrackets(source), err)
	}
	return nil
}

// inBrackets adds who named a file, where somebody did: it may not be who wrote it.
func inBrackets(source string) string {
	if source == "" {
		return ""
	}
	return " (" + source + ")"
}

// readFile reads the document, as far as it can be read. The error is one that leaves nothing.
func (r *reading) readFile(path string) error {
	format, err := formatOf(path)
	if err != nil {
		return err
	}
	content, _, err := r.files.read(path)
	if err != nil {
		return err
	}
	document, problems, err := decode(format, content)
	for _, problem := range problems {
		r.problem(fmt.Errorf("file %s: %w", path, problem))
	}
	r.document = document
	return err
}

// readValues asks for each value in turn. The order is that of the settings.
func (r *reading) readValues() {
	r.config.File = r.file
	r.config.Serve = r.serve()
	r.config.Listeners = r.listeners()
	r.config.Store = parse(r, r.server(keyStore, written(r.document.Store)), "memory", parseStore)
	r.config.Log = r.log()
	r.refuseReserved()
}

// problem keeps an error that names its place itself.
func (r *reading) problem(err error) { r.problems = append(r.problems, err) }

// refuse keeps an error about a value, which the error shows.
func (r *reading) refuse(said value, err error) { r.problem(fmt.Errorf("%s: %w", said.where, err)) }

// warn keeps what a person should know about the server.
func (r *reading) warn(warning string) { r.config.Warnings = append(r.config.Warnings, warning) }

// set keeps a value in force.
func (r *reading) set(key, value, source string) {
	r.config.Settings = append(r.config.Settings, Setting{key, value, source})
}

// server is a query for a value of the server, whose key is the same in the file and in the settings.
func (r *reading) server(at key, file *string) query {
	return query{key: at, show: at.path, fileKey: at.path, file: file}
}

// items are the values of a list, each with its place. One of the wrong type is nil, and has been told of. The setting
// shows them on one line.
func (r *reading) items(at key, said []*text) []value {
	var items []value
	var texts []string
	source := "file " + r.file + " " + at.path
	for i, item := range said {
		if item != nil {
			where := fmt.Sprintf("file %s: %s[%d]", r.file, at.path, i)
			items = append(items, value{text: string(*item), source: source, where: where})
			texts = append(texts, string(*item))
		}
	}
	if len(items) == 0 {
		source = fromDefault
	}
	r.set(at.path, strings.Join(texts, ", "), source)
	return items
}

// parse looks a value up, and reads it with the parser of its kind. The text becomes a setting, an error a problem. A
// default goes through the parser like any other value, so that it cannot be one that would be refused.
func parse[T any](r *reading, q query, otherwise string, parser func(string) (T, error)) T {
	said := r.lookup(q, otherwise)
	r.set(q.show, said.text, said.source)
	value, err := parser(said.text)
	if err != nil {
		r.refuse(said, err)
	}
	return value
}
