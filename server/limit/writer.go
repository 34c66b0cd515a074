package limit

import (
	"context"
	"net/http"
	"time"
)

// writer is a response of which each part must be accepted in time.
type writer struct {
	http.ResponseWriter

	control     *http.ResponseController
	read, write clock
	timeout     time.Duration
	// stream ends with a stream of HTTP/2. It is nil in HTTP/1.1.
	stream context.Context
}

func newWriter(w http.ResponseWriter, r *http.Request, timeout time.Duration) *writer {
	patient := &writer{ResponseWriter: w, control: http.NewResponseController(w), timeout: timeout}
	patient.read, patient.write = clocks(w, r)
	if r.ProtoMajor == 2 {
		patient.stream = r.Context()
	}
	return patient
}

// Write implements [http.ResponseWriter].
func (w *writer) Write(p []byte) (int, error) {
	w.write.start(w.timeout)
	defer w.write.stop()
	return w.ResponseWriter.Write(p)
}

// Flush implements [http.Flusher].
func (w *writer) Flush() { _ = w.FlushError() }

// FlushError is Flush for [http.ResponseController].
func (w *writer) FlushError() error {
	w.write.start(w.timeout)
	defer w.write.stop()
	return w.control.Flush()
}

// Unwrap is for [http.ResponseController].
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// finish bounds what net/http does after the handler: it writes what is left, and in HTTP/1.1 it reads the rest of the
// body, for which the deadline is still set. In HTTP/2 nothing is read any more, and only a deadline of the stream can
// reach that far. Nothing would end that of a stream which is closed, or closed in the very moment it is set.
func (w *writer) finish() {
	if w.stream == nil {
		w.write.start(w.timeout)
		return
	}
	w.read.stop()
	if w.stream.Err() != nil {
		return
	}
	_ = w.control.SetWriteDeadline(time.Now().Add(w.timeout))
	if w.stream.Err() != nil {
		_ = w.control.SetWriteDeadline(time.Time{})
	}
}
