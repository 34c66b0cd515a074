package server

import (
	"fmt"

	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

// Listener describes a listener to [WithListener]. Its strings are read as the same keys of the configuration are.
type Listener struct {
	// Name is the listener's name. Empty is "default".
	Name string
	// Bind is what it listens on. The zero Bind means that it is not known until [Server.SetBind].
	Bind Bind
	// Override is what children must dial: host, host:port or URL. Empty lets the rules decide.
	Override string
	// Advertise is the same for callers outside this machine.
	Advertise string
	// BasePath is the path under which the dashboard serves.
	BasePath string
	// GatewayPath is "/api/ws" and SidecarPath "/api/pub" unless said.
	GatewayPath, SidecarPath string
	// AuthMode is [rules.AuthToken] where it is not said and there is a credential, one that a dashboard reports included,
	// else [rules.AuthNone].
	AuthMode rules.AuthMode
	// Credential is what children present to the dashboard.
	Credential string
}

// Bind is what a socket is bound to.
type Bind struct {
	// Host is the host as the operator wrote it. Empty is every interface where there is a port.
	Host string
	// Port is from 1 to 65535. Zero means that it is not known yet.
	Port int
	// IPv6Only says whether an IPv6 wildcard refuses IPv4. Nil means that it is not known: [Server.Serve] tries it out. A
	// program that mounts [Server.Handler] alone should say it, since it can ask its socket: local children dial 127.0.0.1
	// otherwise.
	IPv6Only *bool
	// TLS says whether the socket speaks TLS.
	TLS bool
}

const maxPort = 65535

func (b Bind) parse(source string) (rules.Bind, error) {
	if b.Host == "" && b.Port == 0 {
		return rules.Bind{}, nil
	}
	if b.Port < 0 || b.Port > maxPort {
		return rules.Bind{}, fmt.Errorf("port %d is not from 0 to %d", b.Port, maxPort)
	}
	host, err := rules.ParseBindHost(b.Host)
	return rules.Bind{
		Text:     b.Host,
		Host:     host,
		Source:   source,
		Port:     rules.Port(b.Port),
		IPv6Only: b.IPv6Only,
		TLS:      b.TLS,
	}, err
}

// parse reads the description. The first bad value is the error.
func (l Listener) parse() (listener.Config, error) {
	var reader reader
	config := listener.Config{
		Name: l.Name,
		Listener: rules.Listener{
			Bind:        read(&reader, "bind", l.Bind, func(bind Bind) (rules.Bind, error) { return bind.parse("default") }),
			Override:    read(&reader, "override", l.Override, rules.ParseTarget),
			Advertise:   read(&reader, "advertise", l.Advertise, rules.ParseTarget),
			BasePath:    read(&reader, "base path", l.BasePath, rules.ParsePath),
			GatewayPath: read(&reader, "gateway path", l.GatewayPath, rules.ParseEndpointPath),
			SidecarPath: read(&reader, "sidecar path", l.SidecarPath, rules.ParseEndpointPath),
			Auth:        rules.Auth{Credential: read(&reader, "credential", l.Credential, rules.ParseCredential)},
		},
	}
	config.Auth.Mode = read(&reader, "auth mode", string(l.AuthMode), func(mode string) (rules.AuthMode, error) {
		return rules.ParseAuthMode(mode, config.Auth.Credential)
	})
	if config.Name == "" {
		config.Name = listener.DefaultName
	}
	config.Override.Source = "default"
	config.Advertise.Source = "default"
	if reader.err != nil {
		return config, fmt.Errorf("listener %q: %w", config.Name, reader.err)
	}
	return config, nil
}

// reader keeps the first error of several reads.
type reader struct{ err error }

func read[In, Out any](reader *reader, what string, value In, parse func(In) (Out, error)) Out {
	parsed, err := parse(value)
	if err != nil && reader.err == nil {
		reader.err = fmt.Errorf("%s: %w", what, err)
	}
	return parsed
}
