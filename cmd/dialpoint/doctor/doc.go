// Package doctor finds out why a child cannot connect. It asks a Dialpoint service what to dial, tries that as a child
// would, and says of each thing it looked at how it went and what to set.
//
// All URLs of one answer agree in scheme, host and port, so that most checks hold for every endpoint. The ones that are
// made for each endpoint say for which.
//
// Nothing that a [Report] says holds a credential: neither the URL that is tried, nor what a server answered, since that
// may be an echo, nor the value of a proxy variable.
package doctor
