package transcript_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"dialpoint/examples/wildcard/transcript"
)

func write(t *testing.T, log *transcript.Transcript, text string) {
	t.Helper()
	if n, err := log.Write([]byte(text)); n != len(text) || err != nil {
		t.Errorf("Write(%q) = %d, %v", text, n, err)
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		writes []string
		want   []string
		text   string
	}{
		"nothing":              {nil, nil, ""},
		"one line":             {[]string{"a\n"}, []string{"a"}, "a\n"},
		"line in parts":        {[]string{"a", "b", "\n"}, []string{"ab"}, "ab\n"},
		"several in one write": {[]string{"a\n\nb\n"}, []string{"a", "", "b"}, "a\n\nb\n"},
		"line without an end":  {[]string{"a\nb"}, []string{"a"}, "a\nb"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got transcript.Transcript
			for _, text := range test.writes {
				write(t, &got, text)
			}
			if diff := cmp.Diff(test.want, got.Lines()); diff != "" {
				t.Errorf("Lines (-want +got):\n%s", diff)
			}
			if got.String() != test.text {
				t.Errorf("String() = %q, want %q", got.String(), test.text)
			}
		})
	}
}

func TestLinesKeepWhatTheyWere(t *testing.T) {
	t.Parallel()
	var log transcript.Transcript
	write(t, &log, "one\n")
	before := log.Lines()
	write(t, &log, "two\n")
	if diff := cmp.Diff([]string{"one"}, before); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWaitFindsWhatIsThere(t *testing.T) {
	t.Parallel()
	var log transcript.Transcript
	write(t, &log, "zero\none port=1\ntwo port=2\n")
	line, err := log.Wait(t.Context(), "port=")
	if line != "one port=1" || err != nil {
		t.Errorf("got %q, %v, want the first line that matches", line, err)
	}
}

func TestWaitFindsWhatComes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log transcript.Transcript
		found := make(chan string)
		for range 2 {
			go func() {
				line, err := log.Wait(t.Context(), "ready")
				if err != nil {
					t.Error(err)
				}
				found <- line
			}()
		}
		for _, text := range []string{"starting\n", "not rea", "dy yet\n"} {
			synctest.Wait()
			select {
			case line := <-found:
				t.Fatalf("got %q before its end", line)
			default:
			}
			write(t, &log, text)
		}
		for range 2 {
			if line := <-found; line != "not ready yet" {
				t.Errorf("got %q", line)
			}
		}
	})
}

func TestWaitGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log transcript.Transcript
		write(t, &log, "port 1 in use\n")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		line, err := log.Wait(ctx, "ready")
		if line != "" || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "port 1 in use") {
			t.Errorf("got %q, %v, want the deadline and what was written", line, err)
		}
	})
}
