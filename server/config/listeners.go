package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

// listenerReading is what is said of one listener.
type listenerReading struct {
	*reading

	// name is the listener's, or what is said to be one.
	name    string
	section listenerSection
	// fileKey is where it stands in the file, such as "listeners[0]".
	fileKey string

	// warnings are said with every answer about this listener.
	warnings []string
}

// listeners are those of the file, and the default one where a flag or a variable is about it or no other is there.
func (r *reading) listeners() []listener.Config {
	var found []listener.Config
	names := map[string]bool{}
	for i, section := range r.document.Listeners {
		l := &listenerReading{reading: r, section: section, fileKey: fmt.Sprintf("listeners[%d]", i)}
		if err := l.readName(names); err != nil {
			r.problem(err)
		}
		found = append(found, l.read())
	}
	if len(found) == 0 || !names[listener.DefaultName] && r.saysDefault() {
		l := &listenerReading{reading: r, name: listener.DefaultName}
		found = append(found, l.read())
	}
	return found
}

// readName takes the name, "default" where none is said, out of those that are left.
func (l *listenerReading) readName(taken map[string]bool) error {
	l.name = listener.DefaultName
	if said := l.section.Name; said != nil {
		l.name = string(*said)
	}
	where := "file " + l.file + ": " + l.fileKey + ".name: "
	if err := listener.CheckName(l.name); err != nil {
		return fmt.Errorf("%s%s: %w", where, rules.Quote(l.name), err)
	}
	if taken[l.name] {
		return errors.New(where + rules.Quote(l.name) + ": another listener has this name: give each one of its own")
	}
	taken[l.name] = true
	return nil
}

// saysDefault reports whether a flag or a variable says anything about the default listener. A file that names others
// alone has none, until somebody speaks of it.
func (r *reading) saysDefault() bool {
	return slices.ContainsFunc(ofDefault, func(at key) bool {
		return slices.ContainsFunc(r.values(query{key: at}), func(said value) bool {
			return strings.TrimSpace(said.text) != "" && !isServicePort(at, said)
		})
	})
}

// query is for one value of this listener. Flags and environment are about the default one alone.
func (l *listenerReading) query(at key, file *string) query {
	if l.name != listener.DefaultName {
		at = key{path: at.path}
	}
	return query{
		key:     at,
		show:    "listeners[" + l.name + "]." + at.path,
		fileKey: l.fileKey + "." + at.path,
		file:    file,
	}
}

// read asks for each value of the listener in turn. The order is that of the settings.
func (l *listenerReading) read() listener.Config {
	said := l.section
	config := listener.Config{Name: l.name, Listener: rules.Listener{
		Bind:        l.bind(),
		Override:    l.target(keyOverride, said.Override),
		Advertise:   l.target(keyAdvertise, said.Advertise),
		BasePath:    parse(l.reading, l.query(keyBasePath, written(said.BasePath)), "", rules.ParsePath),
		GatewayPath: parse(l.reading, l.query(keyGatewayPath, written(said.GatewayPath)), "/api/ws", rules.ParseEndpointPath),
		SidecarPath: parse(l.reading, l.query(keySidecarPath, written(said.SidecarPath)), "/api/pub", rules.ParseEndpointPath),
		Auth:        l.auth(),
	}}
	config.Warnings = l.warnings
	for _, warning := range l.warnings {
		l.log(warning)
	}
	return config
}

// log keeps a warning about this listener for the log alone.
func (l *listenerReading) log(warning string) {
	l.reading.warn("listener " + rules.Quote(l.name) + ": " + warning)
}

// warn keeps what a person should know about this listener. It takes the place of the method of [reading], which is
// about no listener.
func (l *listenerReading) warn(warning string) { l.warnings = append(l.warnings, warning) }

// target is an override or an advertised address, with who said it: an explanation of an answer names it.
func (l *listenerReading) target(at key, file *text) rules.Target {
	q := l.query(at, written(file))
	target := parse(l.reading, q, "", rules.ParseTarget)
	if !target.IsZero() {
		target.Source = l.lookup(q, "").source
	}
	return target
}
