package main

// The formats of -o, and of the log.
const (
	formatText = "text"
	formatJSON = "json"
	formatURL  = "url"
	formatEnv  = "env"
)
