package config_test

import (
	"encoding/pem"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoSecretOfTheServerIsShown prints everything about configurations that are full of secrets, good and bad, and looks
// for each. That they are there at all is checked first.
func TestNoSecretOfTheServerIsShown(t *testing.T) {
	t.Parallel()
	made := newPair(t)
	lines := strings.Split(made.key, "\n")
	secrets := map[string]string{"child": childToken, "operator": operatorToken, "key": lines[1], "credential": "credential-s3cr3t"}
	const good = "serve: {tls: {cert_file: cert.pem, key_file: tls/key.pem, client_ca_file: cert.pem}, child_token_file: c, operator_token_file: o}\n" +
		"listeners: [{auth: {credential_file: t}}]"
	configs := map[string]string{
		"good":               good,
		"a problem":          good + "\nstore: redis",
		"files mixed up":     "serve: {tls: {cert_file: c, key_file: o, client_ca_file: t}, child_token_file: cert.pem, operator_token_file: tls/key.pem}",
		"certificate is key": "serve: {tls: {cert_file: tls/key.pem, key_file: tls/key.pem, client_ca_file: tls/key.pem}}",
		"secrets as files":   fmt.Sprintf("serve: {child_token_file: %q, operator_token_file: %q, tls: {key_file: %q, cert_file: %q, client_ca_file: %q}}", childToken, operatorToken, lines[1], made.key, made.key),
		"secrets in lists":   fmt.Sprintf("serve: {child_token_file: [%q], operator_token_file: {x: %q}, tls: [%q]}", childToken, operatorToken, lines[1]),
		"same token":         "serve: {child_token_file: c, operator_token_file: c}",
	}
	for name, said := range configs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := tlsSources(t, pair{made.certificate + made.key, made.key})
			dir := filepath.Dir(from.Path)
			write(t, dir, "c", childToken)
			write(t, dir, "o", operatorToken)
			write(t, dir, "t", secrets["credential"])
			put(t, from.Path, said)
			if said == good {
				loaded := load(t, from)
				wantTokens(t, loaded, childToken, operatorToken, "")
				wantText(t, loaded.Serve.TLS.Key.Reveal(), made.key)
				wantText(t, only(t, loaded).Auth.Credential.Reveal(), secrets["credential"])
			}
			shown := show(t, from)
			for what, secret := range secrets {
				if hex := fmt.Sprintf("%x", secret); strings.Contains(shown, secret) || strings.Contains(strings.ToLower(shown), hex) {
					t.Errorf("the %s is in\n%s", what, shown)
				}
			}
			wantNoKeyBytes(t, shown, made)
		})
	}
}

// wantNoKeyBytes looks for the key as a list of numbers, which is how package fmt prints one that it can see into.
func wantNoKeyBytes(t *testing.T, shown string, made pair) {
	t.Helper()
	block, _ := pem.Decode([]byte(made.key))
	for _, part := range [][]byte{block.Bytes[40:60], []byte(made.key)[40:60]} {
		if numbers := strings.Trim(fmt.Sprintf("%d", part), "[]"); strings.Contains(shown, numbers) {
			t.Errorf("bytes of the key are in\n%s", shown)
		}
	}
}
