package listener_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"dialpoint/server/rules"
)

const notUsed = "auth.mode is none, so the credential that the dashboard reported is not used"

// A dashboard knows best which credential it asks for. Whether it asks, the operator may say.
func TestReportedCredential(t *testing.T) {
	t.Parallel()
	own, theirs := rules.NewSecret("configured"), rules.NewSecret("reported")
	tests := map[string]struct {
		configured rules.Auth
		reported   rules.Secret
		want       rules.Auth
		warnings   []string
	}{
		"none anywhere":           {rules.Auth{}, rules.Secret{}, rules.Auth{}, nil},
		"only reported":           {rules.Auth{}, theirs, rules.Auth{Mode: rules.AuthToken, Credential: theirs}, nil},
		"configured stays":        {rules.Auth{Mode: rules.AuthToken, Credential: own}, rules.Secret{}, rules.Auth{Mode: rules.AuthToken, Credential: own}, nil},
		"reported wins":           {rules.Auth{Mode: rules.AuthToken, Credential: own}, theirs, rules.Auth{Mode: rules.AuthToken, Credential: theirs}, nil},
		"internal stays internal": {rules.Auth{Mode: rules.AuthInternal, Credential: own}, theirs, rules.Auth{Mode: rules.AuthInternal, Credential: theirs}, nil},
		"internal without one":    {rules.Auth{Mode: rules.AuthInternal}, theirs, rules.Auth{Mode: rules.AuthInternal, Credential: theirs}, nil},
		"token without one":       {rules.Auth{Mode: rules.AuthToken}, theirs, rules.Auth{Mode: rules.AuthToken, Credential: theirs}, nil},
		"none on purpose":         {rules.Auth{Mode: rules.AuthNone}, theirs, rules.Auth{Mode: rules.AuthNone, Credential: theirs}, []string{notUsed}},
		"none, none reported":     {rules.Auth{Mode: rules.AuthNone}, rules.Secret{}, rules.Auth{Mode: rules.AuthNone}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				registry := onPort(t, 9119)
				configured := config(t, "default", "0.0.0.0", 9119)
				configured.Auth, configured.Warnings = test.configured, []string{"one"}
				configure(t, registry, configured)
				report := by(t, "a", 80)
				report.Credential = test.reported
				for range 3 {
					found := claim(t, registry, report)
					if found.Auth != test.want {
						t.Errorf("mode %q, credential %q", found.Auth.Mode, found.Auth.Credential.Reveal())
					}
					if diff := cmp.Diff(append([]string{"one"}, test.warnings...), found.Warnings); diff != "" {
						t.Errorf("warnings: -want +got\n%s", diff)
					}
				}
				pass(15 * time.Second)
				if found := get(t, registry, ""); found.Auth != test.configured || len(found.Warnings) != 1 {
					t.Errorf("when the lease is over: mode %q, credential %q, warnings %q", found.Auth.Mode, found.Auth.Credential.Reveal(), found.Warnings)
				}
			})
		})
	}
}

// A dashboard that stops saying one goes back to what is configured.
func TestCredentialThatIsNotReportedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		registry := onPort(t, 0)
		report := by(t, "a", 80)
		report.Credential = rules.NewSecret("reported")
		claim(t, registry, report)
		pass(time.Second)
		found := claim(t, registry, by(t, "a", 80))
		if found.Auth != (rules.Auth{}) || found.Revision != first+3 {
			t.Errorf("mode %q, credential %q at revision %d", found.Auth.Mode, found.Auth.Credential.Reveal(), found.Revision)
		}
		if want := time.Now().Add(15 * time.Second); !get(t, registry, "").LeaseExpires().Equal(want) {
			t.Errorf("ends at %v, want %v", get(t, registry, "").LeaseExpires(), want)
		}
	})
}

// The same credential from both sides is no change, and the end that is shown is still that of the newest renewal.
func TestReportOfTheConfiguredCredential(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		registry := onPort(t, 0)
		configured := config(t, "default", "0.0.0.0", 0)
		configured.Auth = rules.Auth{Mode: rules.AuthToken, Credential: rules.NewSecret("same")}
		configure(t, registry, configured)
		report := by(t, "a", 80)
		claim(t, registry, report)
		before := registry.Snapshot()
		pass(time.Second)
		report.Credential = rules.NewSecret("same")
		renewed := claim(t, registry, report)
		if want := time.Now().Add(15 * time.Second); registry.Snapshot() != before || !renewed.LeaseExpires().Equal(want) {
			t.Errorf("revision %d, ends at %v, want %v", renewed.Revision, renewed.LeaseExpires(), want)
		}
	})
}
