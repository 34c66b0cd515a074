package client

import (
	"fmt"
	"strings"
)

// maxSocketPath is the longest path that fits into sun_path on Linux, without its final zero byte (unix(7)).
const maxSocketPath = 107

const (
	schemeUnix  = "unix"
	schemeHTTP  = "http"
	schemeHTTPS = "https"
)

// forms ends a refusal that has to teach the grammar.
const forms = "; write unix:///path, http://host:port or https://host:port"

// Address is where a Dialpoint service listens. The zero Address is none.
//
// Addresses are comparable: two spellings of one address give equal values, and [ParseAddress] reads what
// [Address.String] writes.
type Address struct {
	scheme string
	// place is a socket's path, or host:port as it stands in a URL.
	place string
}

// ParseAddresses reads one address, or several separated by commas, each as [ParseAddress] does. An empty one among
// several is an error.
func ParseAddresses(text string) ([]Address, error) {
	var addresses []Address
	for part := range strings.SplitSeq(text, ",") {
		address, err := ParseAddress(part)
		if err != nil {
			return nil, err
		}
		addresses = append(addresses, address)
	}
	return addresses, nil
}

// ParseAddress reads unix:///path, http://host:port or https://host:port.
//
// White space around it is dropped. A path is taken as it stands, without percent-decoding. A port is required: there
// is no number that people know to be Dialpoint's. A wildcard host is refused, since it can be bound but not dialled.
// Errors quote the text, without user info and query, and say what is wrong with it.
func ParseAddress(text string) (Address, error) {
	text = strings.TrimSpace(text)
	scheme, rest, found := strings.Cut(text, "://")
	address := Address{scheme: strings.ToLower(scheme)}
	var problem string
	switch {
	case text == "":
		problem = "it is empty" + forms
	case strings.Contains(text, ","):
		problem = "it holds a comma, which parts several addresses, and a path cannot hold one"
	case !found:
		problem = withoutScheme(text)
	case address.scheme == schemeUnix:
		address.place, problem = rest, badSocketPath(rest)
	case address.scheme == schemeHTTP || address.scheme == schemeHTTPS:
		address.place, problem = parseAuthority(rest)
	default:
		problem = "its scheme must be unix, http or https"
	}
	if problem != "" {
		return Address{}, fmt.Errorf("%q is no address of a Dialpoint service: %s", masked(text), problem)
	}
	return address, nil
}

// String is the address as [ParseAddress] reads it, in canonical form. The zero Address is empty.
func (a Address) String() string {
	if a == (Address{}) {
		return ""
	}
	return a.scheme + "://" + a.place
}

// baseURL is what calls are sent to. A socket has no host, so it is called "localhost": services that check the Host
// header know that name.
func (a Address) baseURL() string {
	if a.scheme == schemeUnix {
		return "http://localhost"
	}
	return a.String()
}

// withoutScheme tells those who left out "//" from those who left out everything: curl and gRPC take unix:/path, and
// what is left out there is easily a typing error.
func withoutScheme(text string) string {
	if strings.HasPrefix(strings.ToLower(text), "unix:") {
		return badSocketPath("")
	}
	return `it does not begin with a scheme and "://"` + forms
}

// badSocketPath says what is wrong with a socket's path. A relative one would mean another socket in each directory, and
// the kernel refuses a long one with no more than "invalid argument".
func badSocketPath(path string) string {
	switch {
	case !strings.HasPrefix(path, "/"):
		return "a socket's path must be absolute, as in unix:///run/dialpoint/dialpoint.sock"
	case strings.HasSuffix(path, "/"):
		return "it names a directory, not a socket"
	case strings.ContainsRune(path, 0):
		return "a path cannot hold a zero byte"
	case len(path) > maxSocketPath:
		return fmt.Sprintf("its path has %d bytes, and a socket's path may have %d; use a shorter directory", len(path), maxSocketPath)
	}
	return ""
}

// masked is a refused text without what may be a secret in it: user info, query and fragment.
func masked(text string) string {
	const redacted = "REDACTED"
	scheme, rest, found := strings.Cut(text, "://")
	if !found {
		scheme, rest = "", text
	} else {
		scheme += "://"
	}
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		rest = redacted + rest[at:]
	}
	if end := strings.IndexAny(rest, "?#"); end >= 0 {
		rest = rest[:end+1] + redacted
	}
	return scheme + rest
}
