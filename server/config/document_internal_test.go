package config

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"testing"
)

// leaves are the paths of all keys of a section, with their types.
func leaves(path string, kind reflect.Type) map[string]reflect.Type {
	found := map[string]reflect.Type{}
	for key, field := range keysOf(kind) {
		at := join(path, key)
		if field.Kind() == reflect.Slice && field.Elem().Kind() == reflect.Struct {
			at, field = at+"[0]", field.Elem()
		}
		if field.Kind() == reflect.Struct {
			maps.Copy(found, leaves(at, field))
			continue
		}
		found[at] = field
	}
	return found
}

// TestDocumentKeys is the contract: the keys that the design lists, and no others.
func TestDocumentKeys(t *testing.T) {
	t.Parallel()
	want := []string{
		"etcd.endpoints", "etcd.password_file", "etcd.prefix", "etcd.tls.ca_file", "etcd.tls.cert_file", "etcd.tls.key_file", "etcd.username",
		"listeners[0].advertise", "listeners[0].auth.credential_file", "listeners[0].auth.mode", "listeners[0].base_path",
		"listeners[0].bind.host", "listeners[0].bind.ipv6_only", "listeners[0].bind.port", "listeners[0].bind.tls",
		"listeners[0].gateway_path", "listeners[0].name", "listeners[0].override", "listeners[0].sidecar_path",
		"log.format", "log.level", "node.address", "node.name",
		"serve.allowed_hosts", "serve.child_token_file", "serve.limits.calls", "serve.limits.streams", "serve.limits.streams_per_peer",
		"serve.operator_token_file", "serve.tcp", "serve.tcp_plaintext", "serve.tls.cert_file", "serve.tls.client_ca_file", "serve.tls.key_file",
		"serve.tls.min_version", "serve.unix", "serve.unix_allow", "store",
	}
	if got := slices.Sorted(maps.Keys(leaves("", reflect.TypeFor[document]()))); !slices.Equal(got, want) {
		t.Errorf("\n got %v\nwant %v", got, want)
	}
}

// TestDocumentKeysAreLowerCase checks that viper's folding changes no key, and that no key holds its delimiter.
func TestDocumentKeysAreLowerCase(t *testing.T) {
	t.Parallel()
	plain := regexp.MustCompile(`^[a-z0-9_]+$`)
	check := func(kind reflect.Type) {
		for key := range keysOf(kind) {
			if !plain.MatchString(key) {
				t.Errorf("%v has the key %q", kind, key)
			}
		}
	}
	for _, kind := range []reflect.Type{
		reflect.TypeFor[document](), reflect.TypeFor[serveSection](), reflect.TypeFor[tlsSection](), reflect.TypeFor[limitsSection](),
		reflect.TypeFor[listenerSection](), reflect.TypeFor[bindSection](), reflect.TypeFor[authSection](), reflect.TypeFor[logSection](),
		reflect.TypeFor[etcdSection](), reflect.TypeFor[etcdTLSSection](), reflect.TypeFor[nodeSection](),
	} {
		check(kind)
	}
}

// TestLeavesAreStrict checks that each value has a type that checks itself, and can be told from one that is not said.
func TestLeavesAreStrict(t *testing.T) {
	t.Parallel()
	strict := []reflect.Type{
		reflect.TypeFor[*text](), reflect.TypeFor[*hostText](), reflect.TypeFor[*portNumber](), reflect.TypeFor[*number](),
		reflect.TypeFor[*truth](), reflect.TypeFor[[]*text](),
	}
	for path, kind := range leaves("", reflect.TypeFor[document]()) {
		if !slices.Contains(strict, kind) {
			t.Errorf("%s is a %v", path, kind)
		}
	}
}

// TestUnexpectedDecodeError checks that an error nobody foresaw is shown, unless one that says the same better is.
func TestUnexpectedDecodeError(t *testing.T) {
	t.Parallel()
	if found := typeErrors(errHandler, false); !slices.Equal(found, []error{errHandler}) {
		t.Errorf("got %v, want the error", found)
	}
	if found := typeErrors(errHandler, true); found != nil {
		t.Errorf("got %v, want none", found)
	}
}
