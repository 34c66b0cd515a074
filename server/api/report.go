package api

import (
	"fmt"
	"math"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

// fromReport is the source of what a dashboard reported.
const fromReport = "report"

// reportOf reads what a dashboard has bound. The first bad field is the error.
func reportOf(request *dialpointv1.ReportListenerRequest) (listener.Report, error) {
	report := listener.Report{
		Name:       request.GetListener(),
		InstanceID: request.GetInstanceId(),
		TTL:        listener.DefaultTTL,
		Takeover:   request.GetTakeover(),
	}
	err := checkHolder(request)
	if err != nil {
		return report, err
	}
	if report.Bind, err = bindOf(request.GetBind()); err != nil {
		return report, err
	}
	if request.GetTtl() != nil {
		if report.TTL, err = durationOf("ttl", request.GetTtl(), listener.MinTTL, listener.MaxTTL); err != nil {
			return report, err
		}
	}
	if report.Credential, err = rules.ParseCredential(request.GetCredential()); err != nil {
		return report, invalidField("credential", err.Error())
	}
	return report, nil
}

// checkHolder reports whether a request names a listener and an instance in the form that they have.
func checkHolder(request interface {
	GetListener() string
	GetInstanceId() string
},
) error {
	if name := request.GetListener(); name != "" {
		if err := listener.CheckName(name); err != nil {
			return invalidField("listener", rules.Quote(name)+": "+err.Error())
		}
	}
	if id := request.GetInstanceId(); id == "" {
		return invalidField("instance_id", "it is required: let each run of the dashboard choose an id of its own, such as a random one")
	} else if err := listener.CheckInstanceID(id); err != nil {
		return invalidField("instance_id", rules.Quote(id)+": "+err.Error())
	}
	return nil
}

// bindOf reads what a socket is bound to. The host stays as it was said.
func bindOf(said *dialpointv1.Bind) (rules.Bind, error) {
	if said == nil {
		return rules.Bind{}, invalidField("bind", "it is required: say what the dashboard's socket is bound to")
	}
	port := said.GetPort()
	if port == 0 || port > math.MaxUint16 {
		return rules.Bind{}, invalidField("bind.port", fmt.Sprintf("%d is not from 1 to %d: report the port that the socket really has", port, math.MaxUint16))
	}
	host, err := rules.ParseBindHost(said.GetHost())
	if err != nil {
		return rules.Bind{}, invalidField("bind.host", err.Error())
	}
	return rules.Bind{
		Text:     said.GetHost(),
		Host:     host,
		Source:   fromReport,
		Port:     rules.Port(port),
		IPv6Only: said.Ipv6Only,
		TLS:      said.GetTls(),
	}, nil
}
