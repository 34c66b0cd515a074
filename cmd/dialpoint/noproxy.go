package main

import (
	"slices"
	"strings"
)

const (
	noProxyUpper = "NO_PROXY"
	noProxyLower = "no_proxy"
)

// extendNoProxy adds entries to both spellings of NO_PROXY: some programs read the one, some the other, and some the one
// first. Where only one is set the other begins as a copy, since alone it would hide what the first one holds.
func extendNoProxy(environ, entries []string) []string {
	upper, lower := valueOf(environ, noProxyUpper), valueOf(environ, noProxyLower)
	if strings.TrimSpace(upper) == "" {
		upper = lower
	}
	if strings.TrimSpace(lower) == "" {
		lower = upper
	}
	entries = bracketed(entries)
	return append(without(environ, []string{noProxyUpper, noProxyLower}),
		noProxyUpper+"="+extended(upper, entries),
		noProxyLower+"="+extended(lower, entries))
}

// bracketed adds the spelling with brackets to each IPv6 address. Node's proxy agents look for the host as it stands in
// the URL, and take "::1" for the host ":" and a port.
func bracketed(entries []string) []string {
	var both []string
	for _, entry := range entries {
		both = append(both, entry)
		if strings.Contains(entry, ":") {
			both = append(both, "["+entry+"]")
		}
	}
	return both
}

// extended is a list with the entries that it lacks. "*" lacks none.
func extended(list string, entries []string) string {
	list = strings.TrimRight(list, ", \t")
	present := strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
	if slices.Contains(present, "*") {
		return list
	}
	for _, entry := range entries {
		if slices.ContainsFunc(present, func(have string) bool { return strings.EqualFold(have, entry) }) {
			continue
		}
		if list != "" {
			list += ","
		}
		list += entry
	}
	return list
}
