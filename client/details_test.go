package client_test

import (
	"math"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"dialpoint/client"
)

func encode(tb testing.TB, message proto.Message) []byte {
	tb.Helper()
	encoded, err := proto.Marshal(message)
	if err != nil {
		tb.Fatal(err)
	}
	return encoded
}

// fixed64 is a field of that type, whose eight bytes would read as text in a field of another type.
func fixed64(number protowire.Number, text string) []byte {
	return append(protowire.AppendTag(nil, number, protowire.Fixed64Type), text...)
}

func TestParseErrorInfo(t *testing.T) {
	t.Parallel()
	whole := encode(t, info("LISTENER_HELD"))
	for name, test := range map[string]struct {
		message []byte
		want    client.Reason
	}{
		"whole":          {whole, client.ReasonListenerHeld},
		"empty":          {nil, ""},
		"no domain":      {encode(t, &errdetails.ErrorInfo{Reason: "LISTENER_HELD"}), ""},
		"cut off":        {whole[:len(whole)-1], ""},
		"no tag":         {append([]byte{0x80}, whole...), ""},
		"unknown fields": {append(protowire.AppendVarint(protowire.AppendTag(nil, 9, protowire.VarintType), 1), whole...), client.ReasonListenerHeld},
		"said twice":     {append(encode(t, info("LISTENER_UNKNOWN")), whole...), client.ReasonListenerHeld},
		"another type":   {append(encode(t, &errdetails.ErrorInfo{Domain: "dialpoint"}), fixed64(1, "\x07ABCDEFG")...), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := client.ParseErrorInfo(test.message); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestParseRetryInfo(t *testing.T) {
	t.Parallel()
	retry := func(seconds int64, nanos int32) []byte {
		return encode(t, &errdetails.RetryInfo{RetryDelay: &durationpb.Duration{Seconds: seconds, Nanos: nanos}})
	}
	for name, test := range map[string]struct {
		message []byte
		want    time.Duration
	}{
		"whole":            {retry(2, 1), 2*time.Second + 1},
		"empty":            {nil, 0},
		"no delay":         {encode(t, &errdetails.RetryInfo{RetryDelay: &durationpb.Duration{}}), 0},
		"in two parts":     {append(retry(2, 0), retry(0, 5)...), 2*time.Second + 5},
		"less than zero":   {retry(-1, 0), 0},
		"no duration":      {retry(1, -1), 0},
		"too long":         {retry(math.MaxInt64, 0), 0},
		"longest":          {retry(315_576_000_000, 0), math.MaxInt64},
		"cut off":          {retry(2, 1)[:3], 0},
		"malformed inside": {protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), []byte{0xff}), 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := client.ParseRetryInfo(test.message); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// FuzzDetails: whatever the generated code can read, ours reads the same, and the rest harms nobody.
func FuzzDetails(f *testing.F) {
	f.Add(encode(f, info("LISTENER_HELD")))
	f.Add(encode(f, &errdetails.RetryInfo{RetryDelay: &durationpb.Duration{Seconds: 3, Nanos: 4}}))
	f.Add([]byte{0xff, 0x01, 0x0a})
	f.Add([]byte{0x0b, 0x0c})
	f.Fuzz(func(t *testing.T, message []byte) {
		reason, delay := client.ParseErrorInfo(message), client.ParseRetryInfo(message)
		if delay < 0 {
			t.Errorf("delay %s", delay)
		}
		want := new(errdetails.ErrorInfo)
		if proto.Unmarshal(message, want) == nil && want.GetDomain() == "dialpoint" && string(reason) != want.GetReason() {
			t.Errorf("reason %q, want %q", reason, want.GetReason())
		}
		retry := new(errdetails.RetryInfo)
		if proto.Unmarshal(message, retry) == nil && retry.GetRetryDelay().IsValid() && delay != max(retry.GetRetryDelay().AsDuration(), 0) {
			t.Errorf("delay %s, want %s", delay, retry.GetRetryDelay().AsDuration())
		}
	})
}
