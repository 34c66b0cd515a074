package access

import (
	"net/http"
	"strings"
)

// maxBearer is the length in bytes of the longest token that is looked at. No token of ours is longer.
const maxBearer = 4096

// authorization is the header that holds it.
const authorization = "Authorization"

// bearerToken is the token that a request shows.
func bearerToken(header http.Header) (string, *refusal) {
	values := header[authorization]
	switch len(values) {
	case 0:
		return "", credentialMissing()
	case 1:
	default:
		return "", credentialInvalid("there are several Authorization headers")
	}
	token, problem := parseBearer(values[0])
	if problem != "" {
		return "", credentialInvalid(problem)
	}
	return token, nil
}

// parseBearer reads the credentials of RFC 6750, section 2.1: "Bearer", in any case (RFC 9110, section 11.1), spaces,
// and a b64token. The problem is empty where there is none, and never shows the value.
func parseBearer(value string) (token, problem string) {
	scheme, rest, _ := strings.Cut(value, " ")
	token = strings.TrimLeft(rest, " ")
	switch {
	case !strings.EqualFold(scheme, "Bearer"):
		return "", "the Authorization header is not of the form 'Bearer TOKEN'"
	case token == "":
		return "", "the Authorization header holds no token"
	case len(token) > maxBearer:
		return "", "the token in the Authorization header is longer than 4096 characters"
	case !isB64Token(token):
		return "", "the token in the Authorization header holds a character that no token can"
	}
	return token, ""
}

func isB64Token(text string) bool {
	body := strings.TrimRight(text, "=")
	return body != "" && !strings.ContainsFunc(body, notB64)
}

func notB64(r rune) bool {
	isLetter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	return !isLetter && (r < '0' || r > '9') && !strings.ContainsRune("-._~+/", r)
}
