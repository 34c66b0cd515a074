package config

import (
	"fmt"
	"path/filepath"
	"strings"

	"dialpoint/server/rules"
)

// othersMayRead are the permissions of anybody but a file's owner.
const othersMayRead = 0o077

// fileKind is what a file must hold that a value names.
type fileKind[T any] struct {
	// name is what is in it, for messages: "credential".
	name     string
	isSecret bool
	// parse reads the content. Its errors show none of it.
	parse func(string) (T, error)
}

// shows reports whether a message may show how a file is named. Who gives a secret for the name of its file must not read
// it there, be it one in base64, which may hold a slash, or one in PEM in the place of a certificate.
func (k fileKind[T]) shows(text string) bool {
	if k.isSecret {
		return filepath.IsAbs(text) || strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../")
	}
	return !strings.Contains(text, "-----")
}

// readNamed reads the file that is said. Where there is a problem it is the zero value. The error names the file and who
// named it, and never shows what is in it. A secret that others can read is worth a warning.
func readNamed[T any](r *reading, said value, kind fileKind[T], warn func(string)) T {
	var nothing T
	path := r.fromConfigDir(said).text
	content, mode, err := r.files.read(path)
	if err != nil && !kind.shows(said.text) {
		r.refuse(said, fmt.Errorf("the file that it names (not shown, since it may be the %s itself): %w", kind.name, err))
		return nothing
	}
	var parsed T
	if err == nil {
		parsed, err = kind.parse(string(content))
	}
	if err != nil {
		r.refuse(said, fmt.Errorf("%s: %w", rules.Quote(path), err))
		return nothing
	}
	if kind.isSecret && mode&othersMayRead != 0 {
		warn(fmt.Sprintf("the %s file %s (%s) can be read by others than its owner (mode %04o): chmod 600 it",
			kind.name, path, said.source, mode))
	}
	return parsed
}

// fromConfigDir reads a relative path in a configuration file as relative to that file.
func (r *reading) fromConfigDir(said value) value {
	if said.isSet() && !said.fromEnv && !filepath.IsAbs(said.text) {
		said.text = filepath.Join(filepath.Dir(r.file), said.text)
	}
	return said
}

// fileNamed looks up which file a key of the server names. The setting shows the path in force.
func (r *reading) fileNamed(at key, file *text, otherwise string) value {
	said := r.lookup(r.server(at, written(file)), otherwise)
	r.set(at.path, r.fromConfigDir(said).text, said.source)
	return said
}

// saysFile reports whether a key of the server names a file.
func (r *reading) saysFile(at key, file *text) bool {
	return r.lookup(r.server(at, written(file)), "").isSet()
}
