package config

import (
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"dialpoint/server/rules"
)

// badValue is a value and what it must be. Who knows where the value came from puts that in front.
func badValue(text, must string) error { return errors.New(rules.Quote(text) + ": " + must) }

// parsePort reads a port of which 0 has a meaning of its own.
func parsePort(text string) (rules.Port, error) {
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return 0, badValue(text, "must be a port, a number from 0 to 65535")
	}
	return rules.Port(port), nil
}

// parseTruth takes two words only: that "yes" or "0" is one of them is a matter of taste in each language.
func parseTruth(text string) (bool, error) {
	said, err := oneOf("true", "false")(text)
	return said == "true", err
}

// oneOf is a parser of words, of which there are at least two. They are exact: a word in capitals is another one.
func oneOf(words ...string) func(string) (string, error) {
	return func(text string) (string, error) {
		if slices.Contains(words, text) {
			return text, nil
		}
		last := len(words) - 1
		return "", badValue(text, "must be "+strings.Join(words[:last], ", ")+" or "+words[last])
	}
}

// parseStore tells a store that is to come from one that there will never be.
func parseStore(text string) (string, error) {
	if text == "etcd" {
		return "", badValue(text, notYet+"must be memory")
	}
	if text != "memory" {
		return "", badValue(text, "must be memory")
	}
	return text, nil
}

// levels are those of [slog] that a service has a use for.
var levels = map[string]slog.Level{
	"debug": slog.LevelDebug,
	"info":  slog.LevelInfo,
	"warn":  slog.LevelWarn,
	"error": slog.LevelError,
}

// parseLevel takes the exact words. [slog.Level.UnmarshalText] would take "Info+3", too.
func parseLevel(text string) (slog.Level, error) {
	name, err := oneOf("debug", "info", "warn", "error")(text)
	return levels[name], err
}

// log reads what is logged.
func (r *reading) log() Log {
	said := r.document.Log
	return Log{
		Level:  parse(r, r.server(keyLogLevel, written(said.Level)), "info", parseLevel),
		Format: parse(r, r.server(keyLogFormat, written(said.Format)), "text", oneOf("text", "json")),
	}
}
