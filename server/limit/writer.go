package limit

import (
	"net/http"
	"sync/atomic"
	"time"
)

const (
	// crowd is how many answers over HTTP/2 may wait at a time to be taken to their end. Their handlers have returned, so
	// that no limit counts them; and they are written in microseconds where the caller takes them.
	crowd = 1024
	// hurry is how long one more may wait.
	hurry = 100 * time.Millisecond
)

// writer is a response of which each part must be accepted in time.
type writer struct {
	http.ResponseWriter

	control     *http.ResponseController
	read, write clock
	timeout     time.Duration
	http2       bool
	// buffered is set while net/http may keep back something that was written.
	buffered bool
	// ending counts the answers of all requests that wait to be taken to their end.
	ending *atomic.Int64
}

func newWriter(w http.ResponseWriter, r *http.Request, timeout time.Duration, ending *atomic.Int64) *writer {
	patient := &writer{
		ResponseWriter: w,
		control:        http.NewResponseController(w),
		timeout:        timeout,
		http2:          r.ProtoMajor == 2,
		ending:         ending,
	}
	patient.read, patient.write = clocks(patient.control, patient.http2)
	return patient
}

// Write implements [http.ResponseWriter].
func (w *writer) Write(p []byte) (int, error) {
	w.write.start(w.timeout)
	defer w.write.stop()
	w.buffered = true
	return w.ResponseWriter.Write(p)
}

// Flush implements [http.Flusher].
func (w *writer) Flush() { _ = w.FlushError() }

// FlushError is Flush for [http.ResponseController].
func (w *writer) FlushError() error {
	w.write.start(w.timeout)
	defer w.write.stop()
	w.buffered = false
	return w.control.Flush()
}

// Unwrap is for [http.ResponseController].
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// finish bounds what net/http does after the handler: it writes what is left, and in HTTP/1.1 it reads the rest of the
// body, for which the deadline is still set. In HTTP/2 no deadline that is set here would end with the stream (see
// [streamClock]): what is left is written now, and net/http only has to end the stream, which it always may.
func (w *writer) finish() {
	if !w.http2 {
		w.write.start(w.timeout)
		return
	}
	w.read.stop()
	if !w.buffered {
		return
	}
	if w.ending.Add(1) > crowd {
		w.timeout = min(w.timeout, hurry)
	}
	defer w.ending.Add(-1)
	w.Flush()
}
