// Package e2e tests Dialpoint from outside: the built command, the examples, and parts that are not ours, among them
// Node, Python, npm and a forward proxy. Its tests have the build tag e2e; make e2e runs them.
package e2e
