package rules_test

import (
	"testing"

	"dialpoint/server/rules"
)

func TestRuleString(t *testing.T) {
	t.Parallel()
	tests := map[rules.Rule]string{
		0:                                  "no rule",
		rules.RuleOverride:                 "override",
		rules.RuleAdvertised:               "advertised",
		rules.RuleWildcardToLoopback:       "wildcard to loopback",
		rules.RuleWildcardToReachedAddress: "wildcard to reached address",
		rules.RuleBindHost:                 "bind host",
		rules.RuleBindHost + 1:             "no rule",
	}
	for rule, want := range tests {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			if got := rule.String(); got != want {
				t.Errorf("got %s", got)
			}
		})
	}
}
