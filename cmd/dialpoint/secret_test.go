package main_test

import (
	"fmt"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"

	"dialpoint/client"
)

// marker is a credential that is in no text by chance, and the same percent-encoded or not.
const marker = "mArKeD-cReDeNtIaL"

// TestNoSecretIsShown: the credential is in what was asked for it, and nowhere else (promise 6).
func TestNoSecretIsShown(t *testing.T) {
	t.Parallel()
	for how, say := range map[string]func(h home) (env, args []string){
		"variable":      func(home) (env, args []string) { return []string{"DIALPOINT_CREDENTIAL=" + marker}, nil },
		"session token": func(home) (env, args []string) { return []string{"HERMES_DASHBOARD_SESSION_TOKEN=" + marker}, nil },
		"file": func(h home) (env, args []string) {
			return []string{"DIALPOINT_CREDENTIAL_FILE=" + h.write(t, "token", marker+"\n")}, nil
		},
		"file in a file": func(h home) (env, args []string) { return nil, []string{"--config", h.writeWithCredential(t, marker)} },
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			env, args := say(h)
			checkSecret(t, h, append(env, "DIALPOINT_LOG_LEVEL=debug"), append(args, "--bind-host", "0.0.0.0"))
		})
	}
}

func (h home) writeWithCredential(t *testing.T, credential string) string {
	t.Helper()
	h.write(t, "token", credential)
	return h.write(t, "dialpoint.yaml", "listeners: [{name: default, auth: {credential_file: token}}]\n")
}

func checkSecret(t *testing.T, h home, env, args []string) {
	t.Helper()
	s := h.serve(t, env, args...)
	seen := map[string]string{"banner": s.banner}
	for _, command := range [][]string{
		{"resolve", "--channel", "chat-1"},
		{"resolve", "--channel", "chat-1", "-o", "json"},
		{"resolve", "--audience", "remote"},
		{"resolve", "--listener", "nobody"},
		{"resolve", "--channel", "a/b"},
		{"watch", "--listener", "nobody"},
		{"listeners"},
		{"listeners", "-o", "json"},
		append([]string{"config", "show", "--origin"}, args...),
		append([]string{"config", "check"}, args...),
		append([]string{"config", "check", "--override", "0.0.0.0"}, args...),
	} {
		got := h.run(t, env, command...)
		seen[strings.Join(command, " ")] = got.stdout + got.stderr
	}
	w := h.watch(t, nil, "--channel", "chat-1")
	seen["watch"] = w.next(t).String()
	cmdline, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", s.process.Process.Pid))
	mustDo(t, err)
	seen["process's arguments"] = string(cmdline)
	for _, output := range []string{"url", "env"} {
		if got := h.must(t, nil, "resolve", "-o", output); !strings.Contains(got, "token="+marker) {
			t.Errorf("resolve -o %s does not hold the credential: %s", output, got)
		}
	}
	mustDo(t, w.process.Process.Signal(syscall.SIGINT))
	w.end(t)
	mustDo(t, s.stop())
	seen["watch's error"] = h.run(t, nil, "watch", "--wait", "10ms").stderr
	seen["log"] = s.log.String()
	if !strings.Contains(seen["log"], "ResolveEndpoints") {
		t.Errorf("the log is not that of debugging:\n%s", seen["log"])
	}
	for where, text := range seen {
		if strings.Contains(text, marker) || text == "" {
			t.Errorf("%s shows the credential, or nothing at all:\n%s", where, text)
		}
	}
}

// TestBadCredentialIsNotShown: a file that cannot be one is named, and not quoted.
func TestBadCredentialIsNotShown(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(t, "token", marker+"\nsecond line\n")
	for how, env := range map[string]string{
		"env DIALPOINT_CREDENTIAL_FILE": "DIALPOINT_CREDENTIAL_FILE=token",
		"env DIALPOINT_CREDENTIAL":      "DIALPOINT_CREDENTIAL=" + marker + "\nsecond line",
	} {
		got := h.run(t, []string{env}, "serve", "--tcp", "127.0.0.1:0")
		if got.code != 78 || !strings.Contains(got.stderr, how+":") || strings.Contains(got.stderr, marker) {
			t.Errorf("%s: exit %d, said %q, want 78 and no credential", how, got.code, got.stderr)
		}
	}
}

// TestCredentialIsDecodedAsItWas by both kinds of decoder that children use, in both URLs.
func TestCredentialIsDecodedAsItWas(t *testing.T) {
	t.Parallel()
	const credential = `a+b/c=d&e%f g#h`
	for how, env := range map[string]string{
		"variable": "DIALPOINT_CREDENTIAL=" + credential,
		"quotes":   `DIALPOINT_CREDENTIAL="` + credential + `"`,
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			_, want, _ := strings.Cut(env, "=")
			h := newHome(t)
			s := h.serve(t, []string{env}, "--bind-host", "0.0.0.0")
			got, err := s.connect(t, s.unix).Resolve(t.Context(), client.Request{Channel: "chat-1"})
			mustDo(t, err)
			for _, endpoint := range []string{got.GetGateway().GetUrl(), got.GetSidecar().GetUrl()} {
				_, query, _ := strings.Cut(endpoint, "?")
				form, err := url.ParseQuery(query)
				mustDo(t, err)
				first, _, _ := strings.Cut(query, "&")
				plain, err := url.PathUnescape(strings.TrimPrefix(first, "token="))
				mustDo(t, err)
				if form.Get("token") != want || plain != want {
					t.Errorf("%s: form decoder %q, RFC 3986 decoder %q, want %q", endpoint, form.Get("token"), plain, want)
				}
			}
			if got.GetCredential().GetValue() != want {
				t.Errorf("credential %q, want %q", got.GetCredential().GetValue(), want)
			}
		})
	}
}
