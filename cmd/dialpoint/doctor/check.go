package doctor

// Status is how a check went.
type Status string

const (
	// StatusOK means that nothing is wrong.
	StatusOK Status = "ok"
	// StatusSkipped means that there was nothing to look at, or that the caller may not.
	StatusSkipped Status = "skipped"
	// StatusWarning means that some children cannot connect, or soon cannot.
	StatusWarning Status = "warning"
	// StatusFailed means that no child can connect.
	StatusFailed Status = "failed"
)

// The names of the checks.
const (
	// CheckListing is whether all listeners can be looked at.
	CheckListing = "listing"
	// CheckResolve is what the service hands out.
	CheckResolve = "resolve"
	// CheckExplanation is a warning of the service about its answer.
	CheckExplanation = "explanation"
	// CheckLease is how long the dashboard's report still holds.
	CheckLease = "lease"
	// CheckConnect is whether something listens at the address.
	CheckConnect = "connect"
	// CheckLoopback is which of 127.0.0.1 and [::1] answer.
	CheckLoopback = "loopback"
	// CheckUpgrade is the WebSocket handshake.
	CheckUpgrade = "upgrade"
	// CheckProxy is whether a variable of the environment sends a client to a proxy.
	CheckProxy = "proxy"
)

// The endpoints of a listener.
const (
	Gateway = "gateway"
	Sidecar = "sidecar"
)

// Check is one thing that was looked at. Nothing in it is secret.
type Check struct {
	// Name is one of the constants above.
	Name string `json:"check"`
	// Endpoint is [Gateway] or [Sidecar]. Empty where the check holds for both.
	Endpoint string `json:"endpoint,omitempty"`
	// Client is the manner of the clients that a proxy check is about: go, curl or python. Empty in other checks.
	Client string `json:"client,omitempty"`
	// Status is how it went.
	Status Status `json:"status"`
	// Finding says for people what was found.
	Finding string `json:"finding"`
	// Advice says what to set. Empty where nothing is wrong, or where the finding says it.
	Advice string `json:"advice,omitempty"`
}

// Report is what was found about one listener.
type Report struct {
	// Listener is the listener's name.
	Listener string `json:"listener"`
	// Status is that of the worst check, and never skipped.
	Status Status `json:"status"`
	// Checks stand in the order in which they were made.
	Checks []Check `json:"checks"`
	// Err is why the service gave nothing to dial: a [*dialpoint/client.Error]. Nil where it did.
	Err error `json:"-"`
}

// newReport is a report with its status.
func newReport(listener string, err error, checks ...Check) Report {
	statuses := make([]Status, len(checks))
	for i, check := range checks {
		statuses[i] = check.Status
	}
	return Report{Listener: listener, Status: Worst(statuses...), Checks: checks, Err: err}
}

// Worst is the worst of several statuses. What was skipped is no worse than what is fine.
func Worst(statuses ...Status) Status {
	worst := StatusOK
	for _, status := range statuses {
		if status == StatusFailed || status == StatusWarning && worst == StatusOK {
			worst = status
		}
	}
	return worst
}
