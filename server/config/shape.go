package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// shape compares what was written with the sections and keys of a type, before viper sees it. viper would drop a key
// whose value is null or an empty section, take "Serve" for "serve", and take a key "log.level" for one in a section.
//
// It is about keys, sections and lists. What a value may be is left to the types of leaf.go, which do without this.
type shape struct{ problems []error }

// compare checks a value at a path, such as "listeners[0].bind". Null is allowed everywhere but in a list.
func (s *shape) compare(path string, kind reflect.Type, value any) {
	written := reflect.ValueOf(value)
	switch {
	case value == nil:
	case kind.Kind() == reflect.Struct:
		s.compareSection(path, kind, written)
	case kind.Kind() == reflect.Slice:
		s.compareList(path, kind.Elem(), written)
	case written.Kind() == reflect.Map || written.Kind() == reflect.Slice:
		s.refuse(path, "must be one value, no list and no section")
	}
}

// compareSection goes through the keys in order, so that the same file always gives the same errors. YAML may have keys
// that are no text; they are not among those of any section.
func (s *shape) compareSection(path string, kind reflect.Type, written reflect.Value) {
	if written.Kind() != reflect.Map {
		s.refuse(path, "must be a section, with keys of its own")
		return
	}
	fields := keysOf(kind)
	values := map[string]any{}
	for key, value := range written.Seq2() {
		values[fmt.Sprint(key)] = value.Interface()
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if field, known := fields[key]; known {
			s.compare(join(path, key), field, values[key])
			continue
		}
		s.refuse(join(path, key), "there is no such key; there are "+strings.Join(slices.Sorted(maps.Keys(fields)), ", "))
	}
}

// compareList refuses an item without a value: it would become a listener of which nothing is said.
func (s *shape) compareList(path string, kind reflect.Type, written reflect.Value) {
	if written.Kind() != reflect.Slice {
		s.refuse(path, "must be a list")
		return
	}
	for i := range written.Len() {
		item, value := fmt.Sprintf("%s[%d]", path, i), written.Index(i).Interface()
		if value == nil {
			s.refuse(item, "is empty: remove it, or say what it is")
		}
		s.compare(item, kind, value)
	}
}

// refuse names a key and never its value: under a key that is not known it may be a secret.
func (s *shape) refuse(path, problem string) {
	s.problems = append(s.problems, fmt.Errorf("%s: %s", path, problem))
}

// keysOf maps the keys of a section to their types.
func keysOf(kind reflect.Type) map[string]reflect.Type {
	keys := map[string]reflect.Type{}
	for field := range kind.Fields() {
		keys[field.Tag.Get("mapstructure")] = field.Type
	}
	return keys
}

// join is the path of a key in a section. The path of the document is empty.
func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
