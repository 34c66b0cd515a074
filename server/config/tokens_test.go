package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dialpoint/server/config"
)

const (
	noDir = "serve.child_token_file and serve.operator_token_file are not set, and there is no socket beside which tokens could be " +
		"kept: set one of them, or serve.unix, or serve.tcp to none"
	sameToken   = "it is the child token, too: make another one, since nobody could tell operators from children"
	tokenLength = "a token must be 16 to 4096 characters long: is this the right file? openssl rand -hex 32 makes a token"
	tokenBytes  = "a token may hold only the characters A-Z a-z 0-9 - . _ ~ + / with = at its end (RFC 6750, section 2.1): " +
		"is this the right file? openssl rand -hex 32 makes a token"

	childToken    = "child-s3cr3t-0123456789"
	operatorToken = "operator-s3cr3t-0123456789"
)

// tokenSources are a file of which serve is what is said, and a directory of the socket beside it.
func tokenSources(t testing.TB, serve string) (from config.Sources, dir, beside string) {
	t.Helper()
	from = fileSources(t, "dialpoint.yaml", "serve: {"+serve+"}")
	from.LookupEnv = vars{"DIALPOINT_AUTH_MODE": "none"}.lookup
	dir = filepath.Dir(from.Path)
	beside = filepath.Join(dir, "run")
	mkdir(t, beside)
	from.DefaultUnix = filepath.Join(beside, "s")
	return from, dir, beside
}

// wantTokens checks all that is read of tokens.
func wantTokens(t *testing.T, loaded *config.Config, child, operator, dir string) {
	t.Helper()
	got := loaded.Serve.Tokens
	wantText(t, got.Child.Reveal(), child)
	wantText(t, got.Operator.Reveal(), operator)
	wantText(t, got.Dir, dir)
}

// wantSetting checks what is shown of a key.
func wantSetting(t *testing.T, loaded *config.Config, key, value, source string) {
	t.Helper()
	gotValue, gotSource := setting(t, loaded, key)
	wantText(t, gotValue+" from "+gotSource, value+" from "+source)
}

// TestTokenFiles is which tokens there are when files are named: these alone, and none that the server makes.
func TestTokenFiles(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		serve, child, operator string
		warnings               []string
	}{
		"both":            {"child_token_file: c, operator_token_file: o", childToken, operatorToken, nil},
		"child alone":     {"child_token_file: c, operator_token_file: ''", childToken, "", nil},
		"operator alone":  {"operator_token_file: ./o", "", operatorToken, nil},
		"no socket":       {"unix: none, operator_token_file: o", "", operatorToken, nil},
		"no TCP":          {"tcp: none, child_token_file: c", childToken, "", []string{"a token file has no effect, since serve.tcp is none"}},
		"no TCP, nothing": {"tcp: none", "", "", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, dir, beside := tokenSources(t, test.serve)
			write(t, dir, "c", childToken+"\n")
			write(t, dir, "o", "\ufeff"+operatorToken+"\r\n")
			// What is not asked for is not looked at.
			write(t, beside, "child.token", "?")
			write(t, beside, "operator.token", "?")
			loaded := load(t, from)
			wantTokens(t, loaded, test.child, test.operator, "")
			wantList(t, "warnings", loaded.Warnings, test.warnings)
			for key, file := range map[string]string{"child": "c", "operator": "o"} {
				path, source := filepath.Join(dir, file), "file "+from.Path+" serve."+key+"_token_file"
				if token := map[string]string{"child": test.child, "operator": test.operator}[key]; token == "" {
					path, source = "", "default"
				}
				wantSetting(t, loaded, "serve."+key+"_token_file", path, source)
			}
		})
	}
}

// TestTokensOfTheServer is where the server keeps its own, and that those that are there are read.
func TestTokensOfTheServer(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		serve string
		unix  func(beside string) string
	}{
		"the default socket":     {"", nil},
		"a socket":               {"unix: '%s/x.sock'", nil},
		"no socket":              {"unix: none", nil},
		"a default that dots":    {"unix: none", func(beside string) string { return beside + "/../run/./s" }},
		"blank names":            {"child_token_file: ' ', operator_token_file: ''", nil},
		"TCP on another address": {"tcp: '[::1]:0'", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, _, beside := tokenSources(t, test.serve)
			if strings.Contains(test.serve, "%s") {
				put(t, from.Path, "serve: {"+fmt.Sprintf(test.serve, beside)+"}")
				from.DefaultUnix = "/nonexistent/s"
			}
			if test.unix != nil {
				from.DefaultUnix = test.unix(beside)
			}
			wantTokens(t, load(t, from), "", "", beside)
			write(t, beside, "child.token", childToken)
			wantTokens(t, load(t, from), childToken, "", beside)
			write(t, beside, "operator.token", operatorToken)
			loaded := load(t, from)
			wantTokens(t, loaded, childToken, operatorToken, beside)
			wantSetting(t, loaded, "serve.child_token_file", filepath.Join(beside, "child.token"), "default")
			wantSetting(t, loaded, "serve.operator_token_file", filepath.Join(beside, "operator.token"), "default")
		})
	}
}

// TestTokensBesideRelativeSocket checks that the directory is one that another working directory does not change.
func TestTokensBesideRelativeSocket(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	from := sources(nil)
	from.Flags = map[string]string{"unix": "run/s"}
	wantText(t, load(t, from).Serve.Tokens.Dir, filepath.Join(dir, "run"))
	from.Flags, from.DefaultUnix = map[string]string{"unix": "none"}, "s"
	wantText(t, load(t, from).Serve.Tokens.Dir, dir)
}

// TestNoPlaceForTokens checks that it is no problem where no token is needed, and not told of beside a bad socket.
func TestNoPlaceForTokens(t *testing.T) {
	t.Parallel()
	from := sources(nil)
	from.DefaultUnix, from.Flags = "", map[string]string{"unix": "none"}
	wantText(t, loadError(t, from), noDir)
	from.Flags = map[string]string{"unix": "/run/s", "tcp": "none"}
	wantTokens(t, load(t, from), "", "", "")
	from.Flags = map[string]string{"unix": "unix:///x"}
	wantText(t, loadError(t, from), `flag --unix: "unix:///x": must be a path, without a scheme`)
	from.Flags = map[string]string{"unix": "none", "tcp": "x"}
	wantText(t, loadError(t, from), `flag --tcp: "x": must be host:port, such as 127.0.0.1:9118 or [::1]:9118, or none`)
}

// TestBadTokens checks each kind of file, whoever names it. No message shows what is in it.
func TestBadTokens(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		make func(t *testing.T, path string)
		want string
	}{
		"empty":      {content(""), tokenLength},
		"blank":      {content(" \n"), tokenLength},
		"too short":  {content("s3cr3t"), tokenLength},
		"too long":   {content(strings.Repeat("s3cr3t", 700)), tokenLength},
		"two lines":  {content(childToken + "\n" + childToken), tokenBytes},
		"scheme":     {content("Bearer " + childToken), tokenBytes},
		"not UTF-8":  {content(childToken + "\xff"), tokenBytes},
		"directory":  {func(t *testing.T, path string) { t.Helper(); mkdir(t, path) }, "it is a directory: name a file"},
		"pipe":       {func(t *testing.T, path string) { t.Helper(); makeFIFO(t, path) }, "it is no regular file, so it cannot be read again when it changes"},
		"dead link":  {func(t *testing.T, path string) { t.Helper(); must(t, os.Symlink("nowhere", path)) }, "it cannot be read: no such file or directory"},
		"large file": {content(strings.Repeat("s3cr3t\n", 200_000)), "it is longer than 1048576 bytes"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, role := range []string{"child", "operator"} {
				from, dir, beside := tokenSources(t, role+"_token_file: ./named")
				test.make(t, filepath.Join(dir, "named"))
				wantText(t, loadError(t, from), fmt.Sprintf("file FILE: serve.%s_token_file: %q: %s", role, filepath.Join(dir, "named"), test.want))

				from.Path = ""
				path := filepath.Join(beside, role+".token")
				test.make(t, path)
				wantText(t, loadError(t, from), fmt.Sprintf("the default of serve.%s_token_file: %q: %s", role, path, test.want))
			}
		})
	}
}

func content(text string) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		t.Helper()
		put(t, path, text)
	}
}

// TestTokenFileIsMissing checks that one that is named must be there, and that a token in place of its file is not shown.
func TestTokenFileIsMissing(t *testing.T) {
	t.Parallel()
	from, dir, _ := tokenSources(t, "child_token_file: "+childToken+", operator_token_file: ./missing")
	wantText(t, loadError(t, from), "file FILE: serve.child_token_file: the file that it names (not shown, since it may be the token "+
		"itself): it cannot be read: no such file or directory\nfile FILE: serve.operator_token_file: \""+filepath.Join(dir, "missing")+
		`": it cannot be read: no such file or directory`)
}

// TestSameTokens checks that roles can be told apart, whatever is around the tokens.
func TestSameTokens(t *testing.T) {
	t.Parallel()
	from, dir, beside := tokenSources(t, "child_token_file: c, operator_token_file: o")
	write(t, dir, "c", childToken)
	write(t, dir, "o", childToken+"\n")
	wantText(t, loadError(t, from), "file FILE: serve.operator_token_file: "+sameToken)
	put(t, from.Path, "serve: {child_token_file: c, operator_token_file: c}")
	wantText(t, loadError(t, from), "file FILE: serve.operator_token_file: "+sameToken)
	from.Path = ""
	write(t, beside, "child.token", childToken)
	write(t, beside, "operator.token", childToken)
	wantText(t, loadError(t, from), "the default of serve.operator_token_file: "+sameToken)
}

func TestTokenThatOthersCanRead(t *testing.T) {
	t.Parallel()
	for mode, warned := range map[os.FileMode]bool{0o600: false, 0o400: false, 0o640: true, 0o604: true} {
		from, dir, beside := tokenSources(t, "operator_token_file: o")
		wantWarned := func(path, source string) {
			must(t, os.Chmod(path, mode))
			var want []string
			if warned {
				want = append(want, fmt.Sprintf("the token file %s (%s) can be read by others than its owner (mode %04o): chmod 600 it",
					path, source, mode))
			}
			wantList(t, "warnings", load(t, from).Warnings, want)
		}
		wantWarned(write(t, dir, "o", operatorToken), "file "+from.Path+" serve.operator_token_file")
		from.Path = ""
		own := write(t, beside, "child.token", childToken)
		must(t, os.Chmod(own, mode))
		if warned {
			wantText(t, loadError(t, from), fmt.Sprintf("the default of serve.child_token_file: %q: others than its owner may have "+
				"read or changed it: remove it, and another is made", own))
		} else {
			load(t, from)
		}
	}
}
