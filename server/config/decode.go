package config

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-viper/mapstructure/v2"
	"github.com/spf13/viper"
)

var errEmpty = errors.New("it is empty: write at least one key, such as listeners, or remove the file")

// formatOf is the format that a path's extension names.
func formatOf(path string) (string, error) {
	extension := filepath.Ext(path)
	format := strings.TrimPrefix(strings.ToLower(extension), ".")
	if !slices.Contains([]string{"yaml", "yml", "toml", "json"}, format) {
		return "", fmt.Errorf("its extension is %q: it must be .yaml, .yml, .toml or .json", extension)
	}
	return format, nil
}

// decode reads a document. What it could read is there beside the errors, so that its values can be checked as well;
// fatal is set where it could read nothing.
func decode(format string, content []byte) (read document, problems []error, fatal error) {
	switch {
	case !utf8.Valid(content):
		return read, nil, errors.New("it is not in UTF-8")
	case len(bytes.TrimSpace(content)) == 0:
		return read, nil, errEmpty
	}
	strict := &strictDecoder{format: format}
	reader := viper.NewWithOptions(viper.WithDecoderRegistry(strict))
	reader.SetConfigType(format)
	err := reader.ReadConfig(bytes.NewReader(content))
	if parse, is := errors.AsType[viper.ConfigParseError](err); is {
		err = parse.Unwrap()
	}
	if err != nil {
		return read, nil, err
	}
	err = reader.UnmarshalExact(&read, exactly)
	return read, append(strict.problems, typeErrors(err, len(strict.problems) > 0)...), nil
}

// exactly undoes what viper does by default to be lenient: it would turn text into numbers, split text at commas into
// lists, read durations, and match keys in any case.
func exactly(config *mapstructure.DecoderConfig) {
	config.WeaklyTypedInput = false
	config.DecodeHook = nil
	config.MatchName = func(key, field string) bool { return key == field }
}

// several is what [errors.Join] makes.
type several interface {
	error
	Unwrap() []error
}

// typeErrors are the errors of leaves, each with its key. Others are of the shape, and told only where [shape] told
// nothing: that it did not would be a fault of ours, and no reason to be silent.
func typeErrors(err error, shapeTold bool) []error {
	if err == nil {
		return nil
	}
	if all, is := errors.AsType[several](err); is {
		var found []error
		for _, one := range all.Unwrap() {
			found = append(found, typeErrors(one, shapeTold)...)
		}
		return found
	}
	at, isAt := errors.AsType[*mapstructure.DecodeError](err)
	wrong, isType := errors.AsType[*typeError](err)
	if isAt && isType && !wrong.isNested() {
		return []error{fmt.Errorf("%s: %w", at.Name(), wrong)}
	}
	if shapeTold {
		return nil
	}
	return []error{err}
}

// strictDecoder decodes for viper with viper's own decoders, and checks what those let pass. It is the registry that
// viper asks for it, too.
type strictDecoder struct {
	shape

	format string
}

// Decoder implements [viper.DecoderRegistry]. There is but one format to a load.
func (d *strictDecoder) Decoder(string) (viper.Decoder, error) { return d, nil }

// Decode implements [viper.Decoder]. The shape has to be looked at here: once this returns, viper folds all keys to
// lower case.
func (d *strictDecoder) Decode(content []byte, into map[string]any) error {
	if err := checkSyntax(d.format, content); err != nil {
		return err
	}
	decoder, err := viper.NewCodecRegistry().Decoder(d.format)
	if err != nil {
		return err
	}
	if err := decoder.Decode(content, into); err != nil {
		return syntaxError(content, err)
	}
	if len(into) == 0 {
		return errEmpty
	}
	d.compare("", reflect.TypeFor[document](), into)
	return nil
}
