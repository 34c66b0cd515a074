package main

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// redacted stands where a secret would.
const redacted = "REDACTED"

// masked is a copy of a message in which no field of option debug_redact shows its value: a URL shows how it is
// displayed, anything else that it was there. Go's own printing of messages does not heed that option.
func masked(message proto.Message) proto.Message {
	clone := proto.Clone(message)
	mask(clone.ProtoReflect())
	return clone
}

func mask(message protoreflect.Message) {
	if endpoint, ok := message.Interface().(*dialpointv1.Endpoint); ok {
		endpoint.Url = endpoint.GetDisplayUrl()
		return
	}
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case isSecret(field):
			message.Set(field, protoreflect.ValueOfString(redacted))
		case field.IsList() && field.Message() != nil:
			for i := range value.List().Len() {
				mask(value.List().Get(i).Message())
			}
		case field.Message() != nil && !field.IsMap():
			mask(value.Message())
		}
		return true
	})
}

func isSecret(field protoreflect.FieldDescriptor) bool {
	options, ok := field.Options().(*descriptorpb.FieldOptions)
	return ok && options.GetDebugRedact()
}
