package config

import (
	"log/slog"

	"dialpoint/server/listener"
)

// Config is everything that is configured, read and checked. Nothing that it points to may be changed.
type Config struct {
	// File is the path of the file that was read, as it was found. Empty when there is none.
	File string
	// Serve is where the server listens, which is read when it starts, and who may call it, which may change at any time.
	Serve Serve
	// Listeners are in the order of the file. The default listener comes last where only flags or environment say
	// something about it, and is the only one where the file names none.
	Listeners []listener.Config
	// Store is where reports are kept: "memory".
	Store string
	// Log is what is logged. The level may change while the server runs.
	Log Log
	// Settings are all values in force, in an order that does not change.
	Settings []Setting
	// Warnings are for the log. Those about one listener are said with every answer
	// about it as well. None holds a secret.
	Warnings []string
}

// Serve says where the server listens, and who may call it. At least one of Unix and TCP is on.
type Serve struct {
	// Unix is the absolute path of the socket. Empty is off.
	Unix string
	// TCP is an address for [net.Listen]; port 0 takes a free one. Empty is off.
	TCP string
	// TCPPlaintext says that the network is trusted, so that TCP beyond loopback needs no TLS.
	TCPPlaintext bool
	// TLS is for TCP. Nil is none.
	TLS *TLS
	// AllowedHosts are hosts in canonical form, which a Host header on TCP may name beside those that are ours anyway.
	AllowedHosts []string
	// Limits is how much is served at a time.
	Limits Limits
	// UnixAllow is who may call over the socket beside its owner.
	UnixAllow UnixAllow
	// Tokens are what callers over TCP show.
	Tokens Tokens
}

// Log says what is logged, and how.
type Log struct {
	Level slog.Level
	// Format is "text" or "json".
	Format string
}

// Setting is one value in force.
type Setting struct {
	// Key is where the value stands in a file, with a listener's name for its index: "listeners[default].bind.host".
	Key string
	// Value is the value as it was said. A secret reads "REDACTED"; empty is a value that is not known.
	Value string
	// Source says who said it: "flag --NAME", "env NAME", "file PATH KEY" or "default".
	Source string
}
