package main

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

const marker = "mArKeD"

// TestMaskedHidesEveryRedactedField walks all messages of the API: a secret that is added later is covered as well.
func TestMaskedHidesEveryRedactedField(t *testing.T) {
	t.Parallel()
	secrets := 0
	protoregistry.GlobalTypes.RangeMessages(func(kind protoreflect.MessageType) bool {
		if !strings.HasPrefix(string(kind.Descriptor().FullName()), "dialpoint.v1.") {
			return true
		}
		message := kind.New()
		secrets += fill(message, 0)
		if text := jsonOf(t, masked(message.Interface())); strings.Contains(text, marker) {
			t.Errorf("%s shows a secret: %s", kind.Descriptor().FullName(), text)
		}
		return true
	})
	if secrets < 3 {
		t.Errorf("the API has %d secrets: is the option still read?", secrets)
	}
}

// fill puts the marker into every field that is a secret, and a word into every other text. It returns how many secrets
// there are.
func fill(message protoreflect.Message, depth int) int {
	const deepest = 5
	secrets := 0
	fields := message.Descriptor().Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		switch {
		case field.Kind() == protoreflect.StringKind && !field.IsList() && isSecret(field):
			message.Set(field, protoreflect.ValueOfString(marker))
			secrets++
		case field.Kind() == protoreflect.StringKind && !field.IsList():
			message.Set(field, protoreflect.ValueOfString("shown"))
		case field.Message() == nil || depth == deepest:
		case field.IsList():
			secrets += fill(message.Mutable(field).List().AppendMutable().Message(), depth+1)
		default:
			secrets += fill(message.Mutable(field).Message(), depth+1)
		}
	}
	return secrets
}

func jsonOf(t *testing.T, message proto.Message) string {
	t.Helper()
	text, err := protojson.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestMaskedLeavesTheMessageAlone: it may still have to be dialled.
func TestMaskedLeavesTheMessageAlone(t *testing.T) {
	t.Parallel()
	message := &dialpointv1.Endpoints{
		Gateway:    &dialpointv1.Endpoint{Url: marker, DisplayUrl: "ws://x/?token=REDACTED"},
		Credential: &dialpointv1.Credential{Value: marker},
	}
	copied, ok := masked(message).(*dialpointv1.Endpoints)
	if !ok || message.GetGateway().GetUrl() != marker || message.GetCredential().GetValue() != marker {
		t.Errorf("the message has changed: %v", message)
	}
	if got := copied.GetGateway().GetUrl(); got != "ws://x/?token=REDACTED" {
		t.Errorf("the masked URL is %q, want the one that is displayed", got)
	}
	if got := copied.GetCredential().GetValue(); got != redacted {
		t.Errorf("the masked credential is %q", got)
	}
}
