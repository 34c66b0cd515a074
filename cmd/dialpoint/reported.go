package main

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"dialpoint/client"
	"dialpoint/server/config"
	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

// defaultDashboardHost is what a dashboard binds that was not told otherwise.
const defaultDashboardHost = "127.0.0.1"

// reported is the flags that say what is reported.
type reported struct {
	env lookupEnv

	listener, instance string
	host               string
	port               int
	ipv6Only           truth
	tls, takeover      bool
	ttl                time.Duration
	credentialFile     string
}

func (r *reported) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&r.listener, "listener", "", "the listener's name (default \"default\")")
	flags.StringVar(&r.host, "host", "", "host that the dashboard binds, as it was told (default: see above)")
	flags.IntVar(&r.port, "port", 0, "port that the dashboard has bound")
	flags.Var(&r.ipv6Only, "ipv6-only", "whether the host \"::\" refuses IPv4 (default: not known)")
	flags.Lookup("ipv6-only").NoOptDefVal = "true"
	flags.BoolVar(&r.tls, "tls", false, "the dashboard speaks TLS")
	flags.StringVar(&r.instance, "instance", "", "name of this run of the dashboard; reporting under it again renews the report (default: a random one)")
	flags.DurationVar(&r.ttl, "ttl", listener.DefaultTTL, "how long the report holds unless it is renewed, from 1s to 1h")
	flags.BoolVar(&r.takeover, "takeover", false, "take the listener from another instance whose report still holds")
	flags.StringVar(&r.credentialFile, "credential-file", "", "file with what children must present to the dashboard (default: see above)")
}

// read is the report as the flags and the environment have it. What is wrong is found before anything is started.
func (r *reported) read(cmd *cobra.Command) (client.Report, error) {
	said := client.Report{
		Listener:   r.listener,
		Host:       r.host,
		Port:       r.port,
		IPv6Only:   r.ipv6Only.value,
		TLS:        r.tls,
		InstanceID: cmp.Or(r.instance, rand.Text()),
		TTL:        r.ttl,
		Takeover:   r.takeover,
	}
	if err := checkReport(said); err != nil {
		return said, usageError{err}
	}
	hostGiven := cmd.Flags().Changed("host")
	inherited, err := r.inherited(hostGiven)
	if err != nil {
		return said, configError{err}
	}
	for _, warning := range inherited.Warnings {
		cmd.PrintErrf("dialpoint: %s\n", warning)
	}
	credential := inherited.Auth.Credential
	if r.credentialFile != "" {
		if credential, err = credentialIn(r.credentialFile); err != nil {
			return said, configError{fmt.Errorf("--credential-file %q: %w", r.credentialFile, err)}
		}
	}
	if !hostGiven {
		said.Host = cmp.Or(inherited.Bind.Text, defaultDashboardHost)
	}
	said.Credential = credential.Reveal()
	return said, nil
}

// checkReport reports whether flags say what the service takes.
func checkReport(said client.Report) error {
	for _, flag := range []struct {
		name, value string
		check       func(string) error
	}{
		{"--listener", cmp.Or(said.Listener, listener.DefaultName), listener.CheckName},
		{"--instance", said.InstanceID, listener.CheckInstanceID},
		{"--host", said.Host, func(host string) error { _, err := rules.ParseBindHost(host); return err }},
	} {
		if err := flag.check(flag.value); err != nil {
			return fmt.Errorf("%s %s: %w", flag.name, rules.Quote(flag.value), err)
		}
	}
	if said.TTL < listener.MinTTL || said.TTL > listener.MaxTTL {
		return fmt.Errorf("--ttl %v: it must be from %v to %v", said.TTL, listener.MinTTL, listener.MaxTTL)
	}
	return nil
}

// inherited is what the environment says of the dashboard, read as serve reads it. What flags say instead is left out, so
// that it may be wrong.
func (r *reported) inherited(hostGiven bool) (listener.Config, error) {
	var names []string
	if !hostGiven {
		names = append(names, "DIALPOINT_BIND_HOST", "HERMES_DASHBOARD_HOST")
	}
	if r.credentialFile == "" {
		names = append(names, "DIALPOINT_CREDENTIAL", "DIALPOINT_CREDENTIAL_FILE", "HERMES_DASHBOARD_SESSION_TOKEN")
	}
	loaded, err := config.NewLoader(config.Sources{
		LookupEnv: func(name string) (string, bool) {
			if !slices.Contains(names, name) {
				return "", false
			}
			return r.env(name)
		},
		// A configuration has to serve somewhere. This one is only read.
		Flags:       map[string]string{"tcp": "none"},
		DefaultUnix: "/dialpoint.sock",
	}).Load()
	if err != nil {
		return listener.Config{}, err
	}
	return loaded.Listeners[0], nil
}

// credentialIn reads the credential in a file. No flag takes it itself: every user of the machine can list the arguments of
// a process. The error shows nothing of it.
func credentialIn(path string) (secret rules.Secret, err error) {
	const enough = 64 << 10
	info, err := os.Stat(path)
	var text []byte
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		// A pipe that nobody writes to would hold whoever opens it for ever.
		return secret, errors.New("it is no regular file")
	case info.Size() > enough:
		return secret, errors.New("it is too long for a credential")
	default:
		text, err = os.ReadFile(path)
	}
	if failure, is := errors.AsType[*fs.PathError](err); is {
		return secret, fmt.Errorf("it cannot be read: %w", failure.Err)
	}
	if secret, err = rules.ParseCredential(string(text)); err == nil && secret.IsZero() {
		err = errors.New("it holds no credential")
	}
	return secret, err
}

// truth is a flag that says yes, no, or nothing.
type truth struct{ value *bool }

// String implements [pflag.Value].
func (t *truth) String() string {
	if t.value == nil {
		return ""
	}
	return strconv.FormatBool(*t.value)
}

// Set implements [pflag.Value].
func (t *truth) Set(text string) error {
	value, err := strconv.ParseBool(text)
	if err != nil {
		return errors.New("it must be true or false")
	}
	t.value = &value
	return nil
}

// Type implements [pflag.Value].
func (t *truth) Type() string { return "bool" }
