package server_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"dialpoint/server"
)

const marked = "mArKeD-sEcReT"

// eachMethod calls f with every method of the API: what is added later is covered as well.
func eachMethod(f func(protoreflect.MethodDescriptor)) {
	protoregistry.GlobalFiles.RangeFilesByPackage("dialpoint.v1", func(file protoreflect.FileDescriptor) bool {
		for i := range file.Services().Len() {
			methods := file.Services().Get(i).Methods()
			for j := range methods.Len() {
				f(methods.Get(j))
			}
		}
		return true
	})
}

// fillSecrets marks every field that is a secret, and puts other into every other text. It returns how many are marked.
func fillSecrets(message protoreflect.Message, other string) (secrets int) {
	fields := message.Descriptor().Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		options, _ := field.Options().(*descriptorpb.FieldOptions)
		switch {
		case field.Kind() == protoreflect.StringKind && options.GetDebugRedact():
			message.Set(field, protoreflect.ValueOfString(marked))
			secrets++
		case field.Kind() == protoreflect.StringKind:
			message.Set(field, protoreflect.ValueOfString(other))
		case field.Kind() == protoreflect.Uint32Kind:
			message.Set(field, protoreflect.ValueOfUint32(9119))
		case field.Message() != nil && field.Message().Parent() == message.Descriptor().Parent():
			secrets += fillSecrets(message.Mutable(field).Message(), other)
		}
	}
	return secrets
}

// Secrets that callers send show in no log, error or listing, whatever else is wrong with the call.
func TestSecretsThatAreSentAreNotShown(t *testing.T) {
	t.Parallel()
	log, written := record()
	service := start(t, server.WithLogger(log), server.WithListener(server.Listener{Name: "shown"}))
	secrets, answers := 0, 0
	for _, other := range []string{"shown", "", "not a name", strings.Repeat("x", 300)} {
		eachMethod(func(method protoreflect.MethodDescriptor) {
			if method.IsStreamingServer() {
				return
			}
			request := dynamicpb.NewMessage(method.Input())
			secrets += fillSecrets(request, other)
			body, err := protojson.Marshal(request)
			must(t, err)
			response, answer := post(t, service.tcp+"/"+string(method.Parent().FullName())+"/"+string(method.Name()), string(body), http.Header{})
			answers++
			if method.Name() == "ReportListener" && (response.StatusCode == http.StatusOK) != (other == "shown") {
				t.Errorf("a report with %q: status %s, %s", other, response.Status, answer)
			}
			if method.Name() != "ResolveEndpoints" && bytes.Contains(answer, []byte(marked)) {
				t.Errorf("%s shows the secret: %q", method.Name(), answer)
			}
		})
	}
	if secrets == 0 || answers < 5 {
		t.Fatalf("%d secrets in %d calls: is the option still read?", secrets, answers)
	}
	if text := written.String(); strings.Contains(text, marked) || !strings.Contains(text, "ReportListener") {
		t.Errorf("the log shows the secret, or nothing:\n%s", text)
	}
}
