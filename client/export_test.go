package client

// What tests reach beyond the exported names.
var (
	DefaultSocketOf = defaultSocket
	ParseErrorInfo  = parseErrorInfo
	ParseRetryInfo  = parseRetryInfo
	Failure         = (*Client).failure
)

// The limits of the transport.
const (
	MaxResponseBytes = maxResponseBytes
	MaxHeaderBytes   = maxHeaderBytes
)
