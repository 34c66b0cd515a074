package api

import (
	"google.golang.org/protobuf/types/known/timestamppb"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

var ruleNames = map[rules.Rule]dialpointv1.Rule{
	rules.RuleOverride:                 dialpointv1.Rule_RULE_OVERRIDE,
	rules.RuleAdvertised:               dialpointv1.Rule_RULE_ADVERTISED,
	rules.RuleWildcardToLoopback:       dialpointv1.Rule_RULE_WILDCARD_TO_LOOPBACK,
	rules.RuleWildcardToReachedAddress: dialpointv1.Rule_RULE_WILDCARD_TO_REACHED_ADDRESS,
	rules.RuleBindHost:                 dialpointv1.Rule_RULE_BIND_HOST,
}

var audienceNames = map[rules.Audience]dialpointv1.Audience{
	rules.Local:  dialpointv1.Audience_AUDIENCE_LOCAL,
	rules.Remote: dialpointv1.Audience_AUDIENCE_REMOTE,
}

var bindSources = map[listener.BindSource]dialpointv1.BindSource{
	listener.FromConfig: dialpointv1.BindSource_BIND_SOURCE_CONFIG,
	listener.FromReport: dialpointv1.BindSource_BIND_SOURCE_REPORT,
}

var authModes = map[rules.AuthMode]dialpointv1.AuthMode{
	"":                 dialpointv1.AuthMode_AUTH_MODE_NONE,
	rules.AuthNone:     dialpointv1.AuthMode_AUTH_MODE_NONE,
	rules.AuthToken:    dialpointv1.AuthMode_AUTH_MODE_TOKEN,
	rules.AuthInternal: dialpointv1.AuthMode_AUTH_MODE_INTERNAL,
}

func endpointsMessage(found listener.Listener, endpoints rules.Endpoints) *dialpointv1.Endpoints {
	message := &dialpointv1.Endpoints{
		Listener:    found.Name,
		Gateway:     endpointMessage(endpoints.Gateway),
		Explanation: explanationMessage(found.Bind, endpoints.Explanation),
		InstanceId:  found.InstanceID,
		Revision:    found.Revision,
	}
	if endpoints.Sidecar != nil {
		message.Sidecar = endpointMessage(*endpoints.Sidecar)
	}
	if credential := endpoints.Credential; credential.Parameter != "" {
		message.Credential = &dialpointv1.Credential{Parameter: credential.Parameter, Value: credential.Value.Reveal()}
	}
	return message
}

func endpointMessage(endpoint rules.Endpoint) *dialpointv1.Endpoint {
	return &dialpointv1.Endpoint{
		Url:        endpoint.URL.Reveal(),
		DisplayUrl: endpoint.DisplayURL,
		BareUrl:    endpoint.BareURL,
	}
}

func explanationMessage(bind rules.Bind, why rules.Explanation) *dialpointv1.Explanation {
	return &dialpointv1.Explanation{
		Rule:     ruleNames[why.Rule],
		Source:   why.Source,
		BindHost: bind.Text,
		BindPort: uint32(bind.Port),
		DialHost: why.DialHost.String(),
		DialPort: uint32(why.DialPort),
		Audience: audienceNames[why.Audience],
		NoProxy:  why.NoProxy,
		Warnings: why.Warnings,
	}
}

func listenerMessage(found listener.Listener) *dialpointv1.Listener {
	message := &dialpointv1.Listener{
		Name:       found.Name,
		Bind:       bindMessage(found.Bind),
		State:      dialpointv1.State_STATE_UNBOUND,
		BindSource: bindSources[found.BindSource],
		InstanceId: found.InstanceID,
		Override:   found.Override.Text,
		Advertise:  found.Advertise.Text,
		BasePath:   string(found.BasePath),
		AuthMode:   authModes[found.Auth.Mode],
		Revision:   found.Revision,
	}
	if found.IsBound() {
		message.State = dialpointv1.State_STATE_BOUND
	}
	if expires := found.LeaseExpires(); !expires.IsZero() {
		message.LeaseExpireTime = timestamppb.New(expires)
	}
	return message
}

func bindMessage(bind rules.Bind) *dialpointv1.Bind {
	if bind.Host.IsZero() && bind.Port == 0 {
		return nil
	}
	return &dialpointv1.Bind{Host: bind.Text, Port: uint32(bind.Port), Ipv6Only: bind.IPv6Only, Tls: bind.TLS}
}
