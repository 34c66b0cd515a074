package rules_test

import (
	"fmt"

	"dialpoint/server/rules"
)

// A dashboard binds every interface: a child on the same machine dials loopback.
func ExampleResolve() {
	bindHost, err := rules.ParseBindHost("0.0.0.0")
	if err != nil {
		fmt.Println(err)
		return
	}
	listener := rules.Listener{
		Bind: rules.Bind{Text: "0.0.0.0", Host: bindHost, Port: 9119},
		Auth: rules.Auth{Mode: rules.AuthToken, Credential: rules.NewSecret("t")},
	}
	endpoints, err := rules.Resolve(listener, rules.Caller{Audience: rules.Local, Channel: "chat-1"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(endpoints.Gateway.DisplayURL)
	fmt.Println(endpoints.Sidecar.DisplayURL)
	fmt.Println(endpoints.Explanation.NoProxy)
	// Output:
	// ws://127.0.0.1:9119/api/ws?token=REDACTED
	// ws://127.0.0.1:9119/api/pub?token=REDACTED&channel=chat-1
	// [127.0.0.1]
}

// A target refused at start says why, without what may be secret in it.
func ExampleParseTarget() {
	_, err := rules.ParseTarget("https://user:password@edge.example")
	fmt.Println(err)
	_, err = rules.ParseTarget("0.0.0.0:9119")
	fmt.Println(err)
	// Output:
	// "https://REDACTED@edge.example" is no target: it may hold no user info
	// "0.0.0.0:9119" is no target: a wildcard can be bound but not dialled; leave it out to let loopback take its place
}
