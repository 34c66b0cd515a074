package rules

// String is the rule in words, such as "wildcard to loopback".
func (r Rule) String() string {
	switch r {
	case RuleOverride:
		return "override"
	case RuleAdvertised:
		return "advertised"
	case RuleWildcardToLoopback:
		return "wildcard to loopback"
	case RuleWildcardToReachedAddress:
		return "wildcard to reached address"
	case RuleBindHost:
		return "bind host"
	default:
		return "no rule"
	}
}
