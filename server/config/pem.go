package config

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"

	"dialpoint/server/rules"
)

var (
	errBroken    = errors.New("it holds a block of PEM that is not complete: was it cut off?")
	errNoChain   = errors.New("it holds no certificate in PEM: is this the right file?")
	errNoPrivate = errors.New("it holds no private key in PEM: is this the right file?")
	errEncrypted = errors.New("its private key needs a password: write it there without one (openssl pkey)")
)

// What files of TLS hold. Neither kind minds what else is in a file: one may be both.
var (
	chainFile = fileKind[[]*x509.Certificate]{name: "certificate", parse: parseChain}
	keyFile   = fileKind[rules.Secret]{name: "key", isSecret: true, parse: parseKey}
)

// parseChain is all certificates in a text, at least one. Each must be readable: one that is passed over would be missed
// only when somebody connects.
func parseChain(text string) ([]*x509.Certificate, error) {
	found, err := blocks(text)
	if err != nil {
		return nil, err
	}
	var chain []*x509.Certificate
	for _, block := range found {
		if block.Type != "CERTIFICATE" {
			continue
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			// The error may quote the content.
			return nil, fmt.Errorf("certificate %d in it cannot be read", len(chain)+1)
		}
		chain = append(chain, certificate)
	}
	if chain == nil {
		return nil, errNoChain
	}
	return chain, nil
}

// encodeChain is certificates in PEM, without what else their file held, which may be a key.
func encodeChain(chain []*x509.Certificate) string {
	var text strings.Builder
	for _, certificate := range chain {
		text.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw}))
	}
	return text.String()
}

// parseKey is the first private key in a text. Whether it can be used is left to who has its certificate.
func parseKey(text string) (rules.Secret, error) {
	found, err := blocks(text)
	if err != nil {
		return rules.Secret{}, err
	}
	for _, block := range found {
		switch {
		case !strings.HasSuffix(block.Type, "PRIVATE KEY"):
		case block.Type == "ENCRYPTED PRIVATE KEY", block.Headers["DEK-Info"] != "":
			return rules.Secret{}, errEncrypted
		default:
			return rules.NewSecret(string(pem.EncodeToMemory(&pem.Block{Type: block.Type, Bytes: block.Bytes}))), nil
		}
	}
	return rules.Secret{}, errNoPrivate
}

// blocks are all blocks of PEM in a text, whatever stands between them (RFC 7468, section 2). The decoder passes over one
// that is broken, as the last is in a file that is being written.
func blocks(text string) ([]*pem.Block, error) {
	var found []*pem.Block
	for block, rest := pem.Decode([]byte(text)); block != nil; block, rest = pem.Decode(rest) {
		found = append(found, block)
	}
	if len(found) != strings.Count(text, "-----BEGIN ") {
		return nil, errBroken
	}
	return found, nil
}
