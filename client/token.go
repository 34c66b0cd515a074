package client

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"connectrpc.com/connect"
)

// maxTokenBytes is what fits into a header together with all else that stands there.
const maxTokenBytes = 4096

var (
	errTokenEmpty = errors.New("holds no token")
	errTokenLong  = fmt.Errorf("holds more than the %d bytes that a token may have", maxTokenBytes)
	errTokenBytes = errors.New("must hold one token and nothing else, of the characters A-Z a-z 0-9 - . _ ~ + / with = at its end (RFC 6750, section 2.1)")
)

// parseToken reads a bearer token: a b64token of RFC 6750, section 2.1. White space around it, such as the line break at
// the end of a file, is dropped. The error never shows the text, and follows on the name of what holds it.
func parseToken(text string) (string, error) {
	text = strings.TrimSpace(text)
	body := strings.TrimRight(text, "=")
	switch {
	case text == "":
		return "", errTokenEmpty
	case len(text) > maxTokenBytes:
		return "", errTokenLong
	case body == "" || strings.ContainsFunc(body, notTokenByte):
		return "", errTokenBytes
	}
	return text, nil
}

func notTokenByte(r rune) bool { return notUnreserved(r) && r != '+' && r != '/' }

// token is what a service is shown. The zero token is none.
type token struct {
	value string
	// origin is where the value came from.
	origin string
}

// token is the one to show now. A unix socket is shown none, since the kernel says there who calls. The error is an
// [*obstacle].
func (s *service) token(ctx context.Context) (token, error) {
	if s.address.scheme == schemeUnix {
		return token{}, nil
	}
	given := s.client.Token
	switch file := s.client.file(tokenFile, s.client.TokenFile); {
	case given != nil:
		return tokenOf(ctx, given)
	case file.isSet():
		return file.token()
	}
	return s.client.envToken()
}

// tokenOf asks the program for its token.
func tokenOf(ctx context.Context, given func(context.Context) (string, error)) (token, error) {
	const origin = "the program's token source"
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	text, err := given(ctx)
	if err != nil {
		return token{}, misconfigured(origin+" failed: "+err.Error(), "see why", err)
	}
	return tokenFrom(origin, text)
}

// tokenFrom reads a token that does not stand in a file. Blank is none.
func tokenFrom(origin, text string) (token, error) {
	value, err := parseToken(text)
	switch {
	case errors.Is(err, errTokenEmpty):
		return token{}, nil
	case err != nil:
		return token{}, misconfigured(origin+" "+err.Error(), fmt.Sprintf("put that right, or name a file with %s or %s", tokenFile.flag, tokenFile.env), nil)
	}
	return token{value, origin}, nil
}

// token reads the token that stands in a file. Whoever makes the file may not have written it yet.
func (f file) token() (token, error) {
	// White space around a token may take some room, too.
	text, err := f.read(2 * maxTokenBytes)
	if err != nil {
		return token{}, err
	}
	value, err := parseToken(string(text))
	switch {
	case errors.Is(err, errTokenEmpty):
		return token{}, f.wrong(err.Error(), fs.ErrNotExist)
	case err != nil:
		return token{}, f.wrong(err.Error(), nil)
	}
	return token{value, f.String()}, nil
}

// header adds the token to the calls that are made with a context.
func (t token) header(ctx context.Context) context.Context {
	if t.value == "" {
		return ctx
	}
	ctx, call := connect.NewClientContext(ctx)
	call.RequestHeader().Set("Authorization", "Bearer "+t.value)
	return ctx
}

// authorized makes a try with the token of now, within a context that may end before the caller's. Where the service
// refuses it, a token that has changed meanwhile is worth one more try: the service may have learnt of it first.
func (s *service) authorized(ctx, within context.Context, try func(context.Context) *Error) *Error {
	shown, err := s.token(within)
	if err != nil {
		return s.failure(ctx, err)
	}
	failure := try(shown.header(within))
	if failure.isRefusal() {
		if next, err := s.token(within); err == nil && next.value != shown.value {
			shown, failure = next, try(next.header(within))
		}
	}
	return failure.about(shown)
}

// isRefusal reports whether this caller may not call.
func (e *Error) isRefusal() bool {
	return e != nil && (e.Code == connect.CodeUnauthenticated || e.Code == connect.CodePermissionDenied)
}

// about says where a token came from that is not the service's.
func (e *Error) about(shown token) *Error {
	if e != nil && e.Reason == ReasonCredentialInvalid && shown.origin != "" {
		e.Message += "; the token was that of " + shown.origin
	}
	return e
}
