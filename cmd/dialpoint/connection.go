package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"dialpoint/client"
)

// connection lets a command be told where the service is, and how to show it who calls. No flag takes a token itself:
// every user of the machine can list the arguments of a process.
type connection struct {
	address, tokenFile        string
	caFile, certFile, keyFile string
}

func (c *connection) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&c.address, "addr", "",
		"where the service is: unix:///path or http(s)://host:port, several separated by commas (env "+client.AddressEnv+"; default: the default socket)")
	flags.StringVar(&c.tokenFile, "token-file", "",
		"file with the token for http(s) addresses (env "+client.TokenFileEnv+"; default: the token in env "+client.TokenEnv+")")
	flags.StringVar(&c.caFile, "ca-file", "",
		"PEM file with those who may vouch for a service at an https address (env "+client.CAFileEnv+"; default: the system's)")
	flags.StringVar(&c.certFile, "cert-file", "", "PEM file with the client's certificate for https addresses (env "+client.CertFileEnv+")")
	flags.StringVar(&c.keyFile, "key-file", "", "PEM file with the private key of --cert-file (env "+client.KeyFileEnv+")")
}

// connect is a client of the service that looks for it for so long, or once. It never goes through a proxy.
func (c *connection) connect(patience time.Duration) (*client.Client, error) {
	service, err := client.New(c.address)
	switch {
	case err == nil:
		if service.Patience = patience; patience == 0 {
			service.Patience = -1
		}
		service.TokenFile, service.CAFile, service.CertFile, service.KeyFile = c.tokenFile, c.caFile, c.certFile, c.keyFile
		return service, nil
	case c.address != "":
		err = fmt.Errorf("--addr: %w", err)
	}
	return nil, usageError{err}
}
