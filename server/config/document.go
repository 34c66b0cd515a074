package config

// document is a file as it was written. A nil pointer is a key that was not said; null counts as that.
//
// The tags are the keys. They are the whole list of what a file may hold: see [shape].
type document struct {
	// Serve is where the server listens, and who may call it.
	Serve serveSection `mapstructure:"serve"`
	// Listeners is a list and not a section by name, since viper would fold the names to lower case.
	Listeners []listenerSection `mapstructure:"listeners"`
	// Store is where reports are kept: memory, and etcd in a later version.
	Store *text `mapstructure:"store"`
	// Log is what is logged, and how.
	Log logSection `mapstructure:"log"`
	// Etcd and Node are for servers on many machines. Nothing acts on them yet.
	Etcd etcdSection `mapstructure:"etcd"`
	Node nodeSection `mapstructure:"node"`
}

// serveSection is the server's own sockets, and who may call it.
type serveSection struct {
	// Unix is a path, relative to the working directory. Blank is the default socket, "none" is off.
	Unix *text `mapstructure:"unix"`
	// TCP is host:port, where port 0 takes a free one. Blank is the default, "none" is off.
	TCP *text `mapstructure:"tcp"`
	// TCPPlaintext trusts the network of a TCP address beyond loopback.
	TCPPlaintext *truth `mapstructure:"tcp_plaintext"`

	TLS tlsSection `mapstructure:"tls"`
	// AllowedHosts are what a Host header on TCP may name beside loopback and the address of the socket.
	AllowedHosts []*text       `mapstructure:"allowed_hosts"`
	Limits       limitsSection `mapstructure:"limits"`
	// UnixAllow is who may call over the socket beside its owner: "user:NAME|ID" and "group:NAME|ID".
	UnixAllow []*text `mapstructure:"unix_allow"`
	// The token files hold one token each and nothing else. They are relative to the configuration file.
	ChildTokenFile    *text `mapstructure:"child_token_file"`
	OperatorTokenFile *text `mapstructure:"operator_token_file"`
}

// tlsSection is the certificate of the server's TCP socket. Its files are relative to the configuration file.
type tlsSection struct {
	// CertFile and KeyFile are a chain and its key, in PEM. One needs the other.
	CertFile *text `mapstructure:"cert_file"`
	KeyFile  *text `mapstructure:"key_file"`
	// ClientCAFile is who signs the certificates of clients, in PEM. Blank asks clients for none.
	ClientCAFile *text `mapstructure:"client_ca_file"`
	// MinVersion is the oldest version of TLS that is spoken, 1.3 or 1.2.
	MinVersion *text `mapstructure:"min_version"`
}

// limitsSection is how much is served at a time.
type limitsSection struct {
	// Calls are those that are no streams.
	Calls   *number `mapstructure:"calls"`
	Streams *number `mapstructure:"streams"`
	// StreamsPerPeer is how many of them one peer may have.
	StreamsPerPeer *number `mapstructure:"streams_per_peer"`
}

// listenerSection is one dashboard's listener.
type listenerSection struct {
	// Name keeps its case. Not said it is "default".
	Name *text       `mapstructure:"name"`
	Bind bindSection `mapstructure:"bind"`
	// Override and Advertise are targets: see [rules.ParseTarget].
	Override  *text `mapstructure:"override"`
	Advertise *text `mapstructure:"advertise"`
	// BasePath is the path under which the dashboard serves, the others are its endpoints below that.
	BasePath    *text       `mapstructure:"base_path"`
	GatewayPath *text       `mapstructure:"gateway_path"`
	SidecarPath *text       `mapstructure:"sidecar_path"`
	Auth        authSection `mapstructure:"auth"`
}

// bindSection is what a dashboard listens on.
type bindSection struct {
	Host *hostText `mapstructure:"host"`
	// Port 0 is one that is not known until it is reported.
	Port *portNumber `mapstructure:"port"`
	// IPv6Only is not known where it is not said, which differs from false.
	IPv6Only *truth `mapstructure:"ipv6_only"`
	TLS      *truth `mapstructure:"tls"`
}

// authSection is how children show that they may connect. There is no key for the credential itself: a configuration
// file is shown to people, and kept where others can read it.
type authSection struct {
	// Mode is token, internal or none. Where it is blank the credential decides.
	Mode *text `mapstructure:"mode"`
	// CredentialFile holds the credential and nothing else. It is relative to the configuration file.
	CredentialFile *text `mapstructure:"credential_file"`
}

// logSection is what is logged, and how.
type logSection struct {
	Level  *text `mapstructure:"level"`
	Format *text `mapstructure:"format"`
}

// etcdSection is how to reach etcd. Nothing acts on it yet.
type etcdSection struct {
	Endpoints    []*text        `mapstructure:"endpoints"`
	Prefix       *text          `mapstructure:"prefix"`
	Username     *text          `mapstructure:"username"`
	PasswordFile *text          `mapstructure:"password_file"`
	TLS          etcdTLSSection `mapstructure:"tls"`
}

// etcdTLSSection is how to show to etcd who calls. Nothing acts on it yet.
type etcdTLSSection struct {
	CAFile   *text `mapstructure:"ca_file"`
	CertFile *text `mapstructure:"cert_file"`
	KeyFile  *text `mapstructure:"key_file"`
}

// nodeSection is this machine as other machines see it. Nothing acts on it yet.
type nodeSection struct {
	Name    *text `mapstructure:"name"`
	Address *text `mapstructure:"address"`
}
