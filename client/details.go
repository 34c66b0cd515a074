package client

import (
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
)

// domain is that of every ErrorInfo of a Dialpoint service. Another domain's reasons may mean something else.
const domain = "dialpoint"

// The fields that are read of a detail. The messages are those of google/rpc/error_details.proto; their generated code
// would bring the gRPC API's packages with it.
const (
	infoReason protowire.Number = 1 // string ErrorInfo.reason
	infoDomain protowire.Number = 2 // string ErrorInfo.domain
	retryDelay protowire.Number = 1 // google.protobuf.Duration RetryInfo.retry_delay
)

// readDetails takes over what the details of a service's error say, as far as it is known. What is malformed counts as
// not said.
func (e *Error) readDetails(details []*connect.ErrorDetail) {
	for _, detail := range details {
		switch detail.Type() {
		case "google.rpc.ErrorInfo":
			if reason := parseErrorInfo(detail.Bytes()); reason != "" {
				e.Reason = reason
			}
		case "google.rpc.RetryInfo":
			e.RetryAfter = parseRetryInfo(detail.Bytes())
		}
	}
}

// parseErrorInfo is the reason of an ErrorInfo of the service's domain.
func parseErrorInfo(message []byte) Reason {
	fields := map[protowire.Number]string{}
	ok := eachField(message, func(number protowire.Number, value []byte) { fields[number] = string(value) })
	if !ok || fields[infoDomain] != domain {
		return ""
	}
	return Reason(fields[infoReason])
}

// parseRetryInfo is the delay of a RetryInfo, never less than zero.
func parseRetryInfo(message []byte) time.Duration {
	delay := new(durationpb.Duration)
	var err error
	ok := eachField(message, func(number protowire.Number, value []byte) {
		if number == retryDelay && err == nil {
			err = proto.UnmarshalOptions{Merge: true}.Unmarshal(value, delay)
		}
	})
	if !ok || err != nil || !delay.IsValid() {
		return 0
	}
	return max(delay.AsDuration(), 0)
}

// eachField visits the length-delimited fields of a message, and reports whether the message is well formed
// (https://protobuf.dev/programming-guides/encoding).
func eachField(message []byte, visit func(protowire.Number, []byte)) bool {
	for len(message) > 0 {
		number, kind, size := protowire.ConsumeTag(message)
		if size < 0 {
			return false
		}
		message = message[size:]
		if size = protowire.ConsumeFieldValue(number, kind, message); size < 0 {
			return false
		}
		if value, _ := protowire.ConsumeBytes(message[:size]); kind == protowire.BytesType {
			visit(number, value)
		}
		message = message[size:]
	}
	return true
}
