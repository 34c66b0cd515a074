package main

import (
	"bytes"
	"encoding/json"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// indentedJSON is a message in proto JSON for reading, its secrets masked unless they are to be revealed. It takes the
// detour over encoding/json since protojson varies its white space on purpose.
func indentedJSON(message proto.Message, reveal bool) (string, error) {
	var out bytes.Buffer
	text, err := marshal(message, reveal)
	if err != nil {
		return "", err
	}
	if err := json.Indent(&out, text, "", "  "); err != nil {
		return "", err
	}
	return out.String() + "\n", nil
}

// jsonLine is a message in proto JSON on one line.
func jsonLine(message proto.Message, reveal bool) (string, error) {
	var out bytes.Buffer
	text, err := marshal(message, reveal)
	if err != nil {
		return "", err
	}
	if err := json.Compact(&out, text); err != nil {
		return "", err
	}
	return out.String() + "\n", nil
}

func marshal(message proto.Message, reveal bool) ([]byte, error) {
	if !reveal {
		message = masked(message)
	}
	return protojson.Marshal(message)
}
