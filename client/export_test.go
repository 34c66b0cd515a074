package client

import (
	"context"
	"net"
	"net/http"
)

// What tests reach beyond the exported names.
var (
	DefaultSocketOf = defaultSocket
	ParseErrorInfo  = parseErrorInfo
	ParseRetryInfo  = parseRetryInfo
	ParseToken      = parseToken
	ShakeHands      = shakeHands
)

// The limits of the transport, of tokens and of patience.
const (
	MaxTokenBytes    = maxTokenBytes
	MaxPEMBytes      = maxPEMBytes
	MaxResponseBytes = maxResponseBytes
	MaxHeaderBytes   = maxHeaderBytes
	HandshakeTimeout = handshakeTimeout
	AnswerTimeout    = answerTimeout
	SilenceTimeout   = silenceTimeout
	DefaultPatience  = defaultPatience
)

// Failure is what a client makes of an error of Connect.
func Failure(ctx context.Context, client *Client, err error) *Error {
	_ = client.locate()
	return client.services[0].failure(ctx, err)
}

// Telling has connections tell the leases of a client that they have ended, as those of its own transport do.
func Telling(client *Client, connect dial) func(ctx context.Context, network, address string) (net.Conn, error) {
	return client.ending.of(connect)
}

// Stage has a client reach its addresses by other ways than the network, and draw its chances from a function.
func Stage(client *Client, transport func(Address) http.RoundTripper, random func() float64) {
	client.transport, client.random = transport, random
}
