package rules

import (
	"net/url"
	"strings"
	"unicode"
)

// Path is a URL path in canonical form: empty, or parts that each begin with one slash. It ends in no slash and is
// percent-encoded.
type Path string

// ParsePath reads a base path or an endpoint path. Slashes at either end do not matter and several in a row count as
// one. A character that a URL cannot hold is an error, as is a "." or ".." part: clients resolve those before they
// dial, so that two of them would dial different paths.
func ParsePath(text string) (Path, error) {
	text = strings.TrimSpace(text)
	var path strings.Builder
	for part := range strings.SplitSeq(text, "/") {
		if part == "" {
			continue
		}
		plain, err := url.PathUnescape(part)
		if err != nil || plain == "." || plain == ".." || strings.ContainsFunc(part, notPath) {
			return "", refuse("path", text, "it may hold no \".\", \"..\" or wrongly escaped part, and none of "+forbidden+" or white space")
		}
		path.WriteString("/" + escapePart(part))
	}
	return Path(path.String()), nil
}

// ParseEndpointPath reads the path of an endpoint below the base path, such as "/api/ws". It is [ParsePath], and blank
// text is no path and no error. The root is refused: a [Listener] takes an empty path for one that was not said.
func ParseEndpointPath(text string) (Path, error) {
	path, err := ParsePath(text)
	if err == nil && path == "" && strings.TrimSpace(text) != "" {
		return "", refuse("endpoint path", text, "it must name a path below the base path, such as "+string(defaultGatewayPath))
	}
	return path, err
}

// forbidden is what a path cannot hold unescaped (RFC 3986, section 3.3).
const forbidden = "?#[]\\\"<>^`{|}"

func notPath(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || r == unicode.ReplacementChar || strings.ContainsRune(forbidden, r)
}

// escapePart percent-encodes what is not ASCII and leaves what is encoded already.
func escapePart(part string) string {
	var out strings.Builder
	for i := range len(part) {
		if part[i] < 0x80 {
			out.WriteByte(part[i])
			continue
		}
		out.WriteString(url.PathEscape(part[i : i+1]))
	}
	return out.String()
}
