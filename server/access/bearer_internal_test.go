package access

import (
	"regexp"
	"strings"
	"testing"

	"dialpoint/server/rules"
)

// bearer is the grammar of RFC 6750, section 2.1, with the scheme in any case.
var bearer = regexp.MustCompile(`^(?i:bearer) +([A-Za-z0-9\-._~+/]+=*)$`)

func FuzzParseBearer(f *testing.F) {
	for _, value := range []string{
		"", "Bearer", "Bearer ", "Bearer x", "bEARER  x==", "Bearer =", "Bearer a=b", "Bearer x y", "Basic eA==", "Bearer\tx",
		"Bearer x ", " Bearer x", "Bearer é", "Bearer \x00", "BearerX", "Bearer " + strings.Repeat("x", 4097), "Bearer -._~+/",
	} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		token, problem := parseBearer(value)
		want := ""
		if found := bearer.FindStringSubmatch(value); found != nil && len(found[1]) <= 4096 {
			want = found[1]
		}
		if token != want || (problem == "") != (want != "") {
			t.Errorf("%q is read as %q with %q, want %q", value, token, problem, want)
		}
	})
}

// Every token that a service may have can be shown in a header.
func FuzzEveryTokenCanBeShown(f *testing.F) {
	f.Add("0123456789abcdef")
	f.Add("-._~+/0123456789==")
	f.Add(strings.Repeat("x", 4096))
	f.Fuzz(func(t *testing.T, text string) {
		secret, err := rules.ParseToken(text)
		if err != nil {
			return
		}
		token, problem := parseBearer("Bearer " + secret.Reveal())
		if problem != "" || token != secret.Reveal() {
			t.Errorf("%q cannot be shown: %s", secret.Reveal(), problem)
		}
		policy := enforce(Policy{ChildToken: secret}, 0, unmapped{noID, noID})
		if role := policy.tokenRole(token); role != Child {
			t.Errorf("it makes its holder %v", role)
		}
	})
}

func TestParseBearerSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ value, want string }{
		"scheme":    {"Basic x", "the Authorization header is not of the form 'Bearer TOKEN'"},
		"no token":  {"Bearer ", "the Authorization header holds no token"},
		"too long":  {"Bearer " + strings.Repeat("x", 4097), "the token in the Authorization header is longer than 4096 characters"},
		"character": {"Bearer a,b", "the token in the Authorization header holds a character that no token can"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, problem := parseBearer(test.value); problem != test.want {
				t.Errorf("got %q, want %q", problem, test.want)
			}
		})
	}
}
