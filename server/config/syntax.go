package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"dialpoint/server/rules"
)

// checkSyntax refuses what the decoders let pass: a second YAML document, a key written twice in JSON, a file that is
// no section. What the decoders refuse themselves it leaves to them.
func checkSyntax(format string, content []byte) error {
	switch format {
	case "yaml", "yml":
		return checkYAML(content)
	case "json":
		return checkJSON(content)
	}
	return nil
}

// checkYAML reads the document a second time, as nodes: once decoded, a list at the top is an error about Go types, and
// a second document is not seen at all.
func checkYAML(content []byte) error {
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	var root yaml.Node
	if decoder.Decode(&root) != nil {
		return nil //nolint:nilerr // the decoder proper will say so
	}
	top := root.Content[0]
	if top.Kind != yaml.MappingNode && top.Tag != "!!null" {
		return fmt.Errorf("line %d: it must hold sections, such as listeners", top.Line)
	}
	if err := decoder.Decode(&root); !errors.Is(err, io.EOF) {
		return errors.New("it must hold one document: remove the line --- and what follows it")
	}
	return nil
}

// tomlError is an error of the TOML decoder that knows its place.
type tomlError interface {
	error
	Position() (row, column int)
}

// syntaxError says what a decoder found, and in which line.
func syntaxError(content []byte, err error) error {
	problem := strings.NewReplacer("yaml: ", "", "toml: ", "", "json: ", "").Replace(err.Error())
	if inJSON, is := errors.AsType[*json.SyntaxError](err); is {
		line := 1 + bytes.Count(content[:min(int(inJSON.Offset), len(content))], []byte("\n"))
		return fmt.Errorf("line %d: %s", line, problem)
	}
	if inTOML, is := errors.AsType[tomlError](err); is {
		line, _ := inTOML.Position()
		return fmt.Errorf("line %d: %s", line, problem)
	}
	return errors.New(countFromOne(yamlValues.ReplaceAllString(problem, "${1}"+rules.Redacted)))
}

// yamlValues are the parts of the document that the YAML decoder shows: the name of an alias, which may be a value that
// begins with an asterisk and lacks its quotes, and a value that is not of the type that its tag gives it.
var yamlValues = regexp.MustCompile("(?s)((?:anchor|!!\\w+) )(?:'.*?'|`.*?`)")

// countFromOne puts right the line in what the YAML parser, as opposed to its scanner, finds: it counts from 0, and
// leaves the line out where it is 0.
func countFromOne(problem string) string {
	var line int
	if _, err := fmt.Sscanf(problem, "line %d:", &line); err == nil {
		_, problem, _ = strings.Cut(problem, ": ")
	}
	for _, expected := range []string{"key", "node content", "'-' indicator", "',' or ']'", "',' or '}'", "<document start>"} {
		if problem == "did not find expected "+expected {
			line++
		}
	}
	if line == 0 {
		return problem
	}
	return fmt.Sprintf("line %d: %s", line, problem)
}

// checkJSON refuses a key that is there twice in one object: the decoder would take the last.
func checkJSON(content []byte) error {
	if !json.Valid(content) {
		return nil
	}
	if bytes.TrimSpace(content)[0] != '{' {
		return errors.New("it must hold an object, with sections such as listeners")
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	return checkJSONValue(decoder)
}

// checkJSONValue takes one value from JSON that is known to be valid, and looks into all objects in it.
func checkJSONValue(decoder *json.Decoder) error {
	token, _ := decoder.Token()
	opening, nested := token.(json.Delim)
	if !nested {
		return nil
	}
	keys := map[string]bool{}
	for decoder.More() {
		if opening == '{' {
			if err := checkJSONKey(decoder, keys); err != nil {
				return err
			}
		}
		if err := checkJSONValue(decoder); err != nil {
			return err
		}
	}
	_, _ = decoder.Token()
	return nil
}

// checkJSONKey takes one key. The decoder has undone escapes, so that no spelling hides a key.
func checkJSONKey(decoder *json.Decoder, seen map[string]bool) error {
	token, _ := decoder.Token()
	key, _ := token.(string)
	if seen[key] {
		return fmt.Errorf("the key %q is there twice in one object", key)
	}
	seen[key] = true
	return nil
}
