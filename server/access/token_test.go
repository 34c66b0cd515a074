package access_test

import (
	"strings"
	"testing"

	"dialpoint/server/access"
	"dialpoint/server/rules"
)

func TestAuthorization(t *testing.T) {
	t.Parallel()
	tcp := overTCP(t, withTokens())
	longest := strings.Repeat("x", 4096)
	tests := map[string]struct {
		values []string
		want   string
	}{
		"as it is written":       {[]string{"Bearer " + childToken}, "child"},
		"lower case":             {[]string{"bearer " + childToken}, "child"},
		"upper case":             {[]string{"BEARER " + operatorToken}, "operator"},
		"many spaces":            {[]string{"Bearer    " + childToken}, "child"},
		"none":                   {nil, "CREDENTIAL_MISSING"},
		"twice":                  {[]string{"Bearer " + childToken, "Bearer " + childToken}, "CREDENTIAL_INVALID"},
		"two in one":             {[]string{"Bearer " + childToken + ", Bearer " + childToken}, "CREDENTIAL_INVALID"},
		"empty":                  {[]string{""}, "CREDENTIAL_INVALID"},
		"no token":               {[]string{"Bearer"}, "CREDENTIAL_INVALID"},
		"blank token":            {[]string{"Bearer  "}, "CREDENTIAL_INVALID"},
		"token alone":            {[]string{childToken}, "CREDENTIAL_INVALID"},
		"another scheme":         {[]string{"Basic " + childToken}, "CREDENTIAL_INVALID"},
		"a tab":                  {[]string{"Bearer\t" + childToken}, "CREDENTIAL_INVALID"},
		"a quote":                {[]string{`Bearer "` + childToken + `"`}, "CREDENTIAL_INVALID"},
		"beyond ASCII":           {[]string{"Bearer " + childToken + "é"}, "CREDENTIAL_INVALID"},
		"one letter more":        {[]string{"Bearer " + childToken + "x"}, "CREDENTIAL_INVALID"},
		"one letter less":        {[]string{"Bearer " + childToken[:len(childToken)-1]}, "CREDENTIAL_INVALID"},
		"another case":           {[]string{"Bearer " + strings.ToUpper(childToken)}, "CREDENTIAL_INVALID"},
		"both tokens in one":     {[]string{"Bearer " + childToken + operatorToken}, "CREDENTIAL_INVALID"},
		"equals signs alone":     {[]string{"Bearer ===="}, "CREDENTIAL_INVALID"},
		"equals sign inside":     {[]string{"Bearer a=b"}, "CREDENTIAL_INVALID"},
		"as long as can be":      {[]string{"Bearer " + longest}, "CREDENTIAL_INVALID"},
		"too long":               {[]string{"Bearer " + longest + "x"}, "CREDENTIAL_INVALID"},
		"the word for no secret": {[]string{"Bearer REDACTED"}, "CREDENTIAL_INVALID"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := tcp.shows("Authorization", test.values...).resolve(t)
			wantRole(t, got, err, test.want)
			for _, value := range test.values {
				_, token, _ := strings.Cut(value, " ")
				if token = strings.Trim(token, " ="); err != nil && token != "" && strings.Contains(err.Error(), token) {
					t.Errorf("the message shows what was sent: %v", err)
				}
			}
		})
	}
}

func TestCredentialMessagesSayWhatToDo(t *testing.T) {
	t.Parallel()
	tcp := overTCP(t, withTokens())
	for name, peer := range map[string]peer{"missing": tcp, "invalid": tcp.bearer("x")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := peer.resolve(t)
			for _, want := range []string{"--token-file", "DIALPOINT_TOKEN_FILE", "child.token", "operator.token"} {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("the message does not name %s: %v", want, err)
				}
			}
		})
	}
}

// A role without a token is for nobody: not for an empty token, and not for none.
func TestTokenThatIsNotConfigured(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		policy          access.Policy
		child, operator string
	}{
		"neither":       {access.Policy{}, "CREDENTIAL_INVALID", "CREDENTIAL_INVALID"},
		"child alone":   {access.Policy{ChildToken: rules.NewSecret(childToken)}, "child", "CREDENTIAL_INVALID"},
		"operator only": {access.Policy{OperatorToken: rules.NewSecret(operatorToken)}, "CREDENTIAL_INVALID", "operator"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tcp := overTCP(t, test.policy)
			got, err := tcp.bearer(childToken).resolve(t)
			wantRole(t, got, err, test.child)
			got, err = tcp.bearer(operatorToken).resolve(t)
			wantRole(t, got, err, test.operator)
			got, err = tcp.bearer("").resolve(t)
			wantRole(t, got, err, "CREDENTIAL_INVALID")
			got, err = tcp.resolve(t)
			wantRole(t, got, err, "CREDENTIAL_MISSING")
		})
	}
}
