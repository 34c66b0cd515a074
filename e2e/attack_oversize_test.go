//go:build e2e

package e2e_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// oversized is a request with too much of something.
type oversized struct {
	name        string
	contentType string
	path        string
	header      http.Header
	body        func() io.Reader
	// length is what the header says of the body. Zero says nothing.
	length int64
	http2  bool
}

func text(text string) func() io.Reader { return func() io.Reader { return strings.NewReader(text) } }

// endless is so many bytes, after a beginning.
func endless(begin string, count int64) func() io.Reader {
	return func() io.Reader { return io.MultiReader(strings.NewReader(begin), io.LimitReader(spaces{}, count)) }
}

// spaces never ends.
type spaces struct{}

// Read implements [io.Reader].
func (spaces) Read(buffer []byte) (int, error) {
	for i := range buffer {
		buffer[i] = ' '
	}
	return len(buffer), nil
}

// bomb is 60 MiB, compressed to less than a message may have.
var bomb = sync.OnceValue(func() string {
	var packed bytes.Buffer
	writer, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	_, _ = io.Copy(writer, io.LimitReader(spaces{}, 60*mebibyte))
	_ = writer.Close()
	return packed.String()
})

// enveloped is a message of a stream, see https://connectrpc.com/docs/protocol and gRPC's PROTOCOL-HTTP2.
func enveloped(flags byte, length uint32, message string) string {
	return string(binary.BigEndian.AppendUint32([]byte{flags}, length)) + message
}

const (
	typeJSON    = "application/json"
	typeProto   = "application/proto"
	typeGRPC    = "application/grpc"
	typeGRPCWeb = "application/grpc-web+proto"
	typeStream  = "application/connect+json"
)

// oversizedHTTP is too much for HTTP.
func oversizedHTTP() []oversized {
	return []oversized{
		{name: "header", contentType: typeJSON, header: http.Header{"X-Long": {strings.Repeat("x", mebibyte)}}, body: text("{}")},
		{name: "many headers", contentType: typeJSON, header: manyHeaders(), body: text("{}")},
		{name: "header, HTTP 2", contentType: typeJSON, header: http.Header{"X-Long": {strings.Repeat("x", mebibyte)}}, body: text("{}"), http2: true},
		{name: "URL", contentType: typeJSON, path: "?" + strings.Repeat("x", mebibyte), body: text("{}")},
		{name: "token", contentType: typeJSON, header: http.Header{"Authorization": {"Bearer " + strings.Repeat("x", 15<<10)}}, body: text("{}")},
		{name: "length", contentType: typeJSON, body: endless("{", 1<<30), length: 1<<30 + 1},
		{name: "body", contentType: typeJSON, body: endless(`{"listener":"`, 100*mebibyte)},
		{name: "body, HTTP 2", contentType: typeJSON, body: endless(`{"listener":"`, 100*mebibyte), http2: true},
	}
}

// oversizedMessages are short, and have too much in them.
func oversizedMessages() []oversized {
	const deep = 10_000
	packed := bomb()
	return []oversized{
		{name: "bomb", contentType: typeJSON, header: http.Header{"Content-Encoding": {"gzip"}}, body: text(packed)},
		{
			name: "bomb in a stream", contentType: typeStream, path: watchProcedure,
			header: http.Header{"Connect-Content-Encoding": {"gzip"}}, body: text(enveloped(1, uint32(len(packed)), packed)),
		},
		{
			name: "bomb in gRPC", contentType: typeGRPC, header: http.Header{"Grpc-Encoding": {"gzip"}, "Te": {"trailers"}},
			body: text(enveloped(1, uint32(len(packed)), packed)), http2: true,
		},
		{name: "deep JSON", contentType: typeJSON, body: text(strings.Repeat(`{"x":`, deep))},
		{name: "deep JSON, lists", contentType: typeJSON, body: text(`{"wait":` + strings.Repeat("[", 6*deep))},
		{name: "deep groups", contentType: typeProto, body: text(strings.Repeat("\x7b", 6*deep))},
		{name: "field of 2 GiB", contentType: typeProto, body: text("\x0a\xff\xff\xff\xff\x07abc")},
		{name: "field of 16 EiB", contentType: typeProto, body: text("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01abc")},
		{name: "frame of 4 GiB", contentType: typeGRPC, header: http.Header{"Te": {"trailers"}}, body: text(enveloped(0, 1<<32-1, "abc")), http2: true},
		{name: "frame of 4 GiB, web", contentType: typeGRPCWeb, body: text(enveloped(0, 1<<32-1, "abc"))},
		{name: "frame of 4 GiB, stream", contentType: "application/connect+proto", path: watchProcedure, body: text(enveloped(0, 1<<32-1, "abc"))},
	}
}

func manyHeaders() http.Header {
	header := http.Header{}
	for i := range 10_000 {
		header.Set(fmt.Sprintf("X-%d", i), "x")
	}
	return header
}

func sendOversizedHTTP(ctx context.Context, t *testing.T, s *target) {
	t.Helper()
	s.sendAll(ctx, t, oversizedHTTP())
}

func sendOversizedMessages(ctx context.Context, t *testing.T, s *target) {
	t.Helper()
	s.sendAll(ctx, t, oversizedMessages())
}

// sendAll sends each request from several connections at once, of somebody who has a token.
func (s *target) sendAll(ctx context.Context, t *testing.T, requests []oversized) {
	t.Helper()
	const atOnce = 10
	for _, request := range requests {
		answers := make([]string, atOnce)
		begin := time.Now()
		var sending sync.WaitGroup
		for i := range answers {
			sending.Go(func() { answers[i] = s.sendOne(ctx, request) })
		}
		sending.Wait()
		t.Logf("%s: %v: %.200s", request.name, time.Since(begin).Round(time.Millisecond), answers[0])
		for _, answer := range answers {
			s.keeps(t, request.name, answer)
		}
	}
}

// sendOne is what came of a request.
func (s *target) sendOne(ctx context.Context, oversized oversized) string {
	path := oversized.path
	if !strings.HasPrefix(path, "/") {
		path = resolveProcedure + path
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.tcp+path, oversized.body())
	if err != nil {
		return err.Error()
	}
	request.ContentLength = oversized.length
	request.Header.Set("Authorization", "Bearer "+s.child)
	request.Header.Set("Content-Type", oversized.contentType)
	maps.Copy(request.Header, oversized.header)
	protocols := new(http.Protocols)
	protocols.SetHTTP1(!oversized.http2)
	protocols.SetUnencryptedHTTP2(oversized.http2)
	transport := &http.Transport{Protocols: protocols, DisableKeepAlives: true}
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, mebibyte))
	return fmt.Sprint(response.Status, " ", string(body), response.Trailer, err)
}
