package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"dialpoint/server/rules"
)

// The names of the tokens that a server makes, beside the socket.
const (
	childTokenName    = "child.token"
	operatorTokenName = "operator.token"
)

var (
	errSameToken = errors.New("it is the child token, too: make another one, since nobody could tell operators from children")
	errNoDir     = errors.New("serve.child_token_file and serve.operator_token_file are not set, and there is no socket beside " +
		"which tokens could be kept: set one of them, or serve.unix, or serve.tcp to none")
)

// Tokens are what callers over TCP show.
type Tokens struct {
	// Child may resolve and watch, Operator may do everything. One that is zero lets nobody in.
	Child, Operator rules.Secret
	// Dir is the absolute path of the directory where the server keeps tokens that it makes itself: child.token and
	// operator.token. One that is not there, or not there any more, is zero above. Empty is that the server makes none,
	// since a token file is configured or TCP is off.
	Dir string
}

// tokenFile is a file that holds one token and nothing else.
var tokenFile = fileKind[rules.Secret]{name: "token", isSecret: true, parse: parseTokenFile}

func parseTokenFile(text string) (rules.Secret, error) {
	secret, err := rules.ParseToken(text)
	if err != nil {
		return secret, fmt.Errorf("%w: is this the right file? openssl rand -hex 32 makes a token", err)
	}
	return secret, nil
}

// tokens reads what callers over TCP show. One file that is configured is enough for the server to make none: the other
// role is then for nobody.
func (r *reading) tokens(unix string, tcp tcpAddress) Tokens {
	said := r.document.Serve
	areSaid := r.saysFile(keyChildToken, said.ChildTokenFile) || r.saysFile(keyOperatorToken, said.OperatorTokenFile)
	tokens := Tokens{}
	switch {
	case areSaid && tcp.text == off:
		r.warn("a token file" + noEffectWithoutTCP)
	case !areSaid && tcp.isOn():
		tokens.Dir = r.tokenDir(unix)
	}
	child := r.fileNamed(keyChildToken, said.ChildTokenFile, inDir(tokens.Dir, childTokenName))
	operator := r.fileNamed(keyOperatorToken, said.OperatorTokenFile, inDir(tokens.Dir, operatorTokenName))
	tokens.Child, tokens.Operator = r.token(child), r.token(operator)
	if tokens.Child == tokens.Operator && !tokens.Child.IsZero() {
		r.refuse(operator, errSameToken)
	}
	return tokens
}

// tokenDir is the directory of the socket, or of the default one where there is none. It is empty beside a problem.
func (r *reading) tokenDir(unix string) string {
	if unix == off {
		unix = r.sources.DefaultUnix
		if unix == "" {
			r.problem(errNoDir)
		}
	}
	if unix == "" {
		return ""
	}
	return filepath.Dir(absolute(unix))
}

// inDir is a file in a directory, or empty without one.
func inDir(dir, name string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, name)
}

// token reads a token. One that nobody named is the server's own to make: that it is missing is no error, and that it
// is made is a change. A symlink that leads nowhere is not missing, since somebody means it.
func (r *reading) token(file value) rules.Secret {
	if file.text == "" {
		return rules.Secret{}
	}
	if _, err := os.Lstat(file.text); !file.isSet() && isMissing(err) {
		r.files.await([]string{file.text})
		return rules.Secret{}
	}
	return readNamed(r, file, tokenFile, func(warning string) {
		if file.isSet() {
			r.warn(warning)
			return
		}
		// The server refuses what others may have read, since it can make another.
		r.refuse(file, fmt.Errorf("%s: others than its owner may have read or changed it: remove it, and another is made", rules.Quote(file.text)))
	})
}
