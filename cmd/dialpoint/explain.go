package main

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// ruleTexts say for people what each rule did.
var ruleTexts = map[dialpointv1.Rule]string{
	dialpointv1.Rule_RULE_OVERRIDE:                    "override: the operator said what children must dial",
	dialpointv1.Rule_RULE_ADVERTISED:                  "advertised: the operator said what callers outside this machine must dial",
	dialpointv1.Rule_RULE_WILDCARD_TO_LOOPBACK:        "wildcard to loopback: it binds every interface, and you share its loopback",
	dialpointv1.Rule_RULE_WILDCARD_TO_REACHED_ADDRESS: "wildcard to reached address: it binds every interface, and this is the one you came in on",
	dialpointv1.Rule_RULE_WILDCARD_TO_NODE_ADDRESS:    "wildcard to node address: it binds every interface of another node",
	dialpointv1.Rule_RULE_BIND_HOST:                   "bind host: it is no wildcard, so it is dialled as it stands",
}

// table lays out lines of a label and a value.
type table struct {
	text   strings.Builder
	writer *tabwriter.Writer
}

const columnGap = 2

func newTable() *table {
	var t table
	t.writer = tabwriter.NewWriter(&t.text, 0, 0, columnGap, ' ', 0)
	return &t
}

// row adds a line. A tabwriter over a string builder cannot fail.
func (t *table) row(cells ...string) { _, _ = fmt.Fprintln(t.writer, strings.Join(cells, "\t")) }

func (t *table) String() string {
	_ = t.writer.Flush()
	return t.text.String()
}

// explain tells a person what to dial and why.
func explain(endpoints *dialpointv1.Endpoints, reveal bool) string {
	why := endpoints.GetExplanation()
	rows := newTable()
	rows.row("gateway", shown(endpoints.GetGateway(), reveal))
	if endpoints.GetSidecar() != nil {
		rows.row("sidecar", shown(endpoints.GetSidecar(), reveal))
	}
	rows.row("rule", ruleTexts[why.GetRule()])
	rows.row("source", why.GetSource())
	rows.row("bind", hostPort(why.GetBindHost(), why.GetBindPort()))
	rows.row("dial", hostPort(why.GetDialHost(), why.GetDialPort()))
	rows.row("audience", strings.ToLower(strings.TrimPrefix(why.GetAudience().String(), "AUDIENCE_")))
	rows.row("no_proxy", strings.Join(why.GetNoProxy(), ","))
	rows.row("listener", endpoints.GetListener())
	rows.row("revision", strconv.FormatUint(endpoints.GetRevision(), 10))
	for _, warning := range why.GetWarnings() {
		rows.row("warning", warning)
	}
	return rows.String()
}

func shown(endpoint *dialpointv1.Endpoint, reveal bool) string {
	if reveal {
		return endpoint.GetUrl()
	}
	return endpoint.GetDisplayUrl()
}

// onOneLine is a text that must not break a table. A host may have been said with line breaks around it.
func onOneLine(text string) string {
	if strings.ContainsFunc(text, unicode.IsControl) {
		return strconv.Quote(text)
	}
	return text
}

// hostPort is a bind or a dial address for people. A port that is not known is a question mark, and where nothing is
// known there is a dash.
func hostPort(host string, port uint32) string {
	text := strconv.FormatUint(uint64(port), 10)
	switch {
	case port == 0 && host == "":
		return orDash(host)
	case port == 0:
		text = "?"
	}
	return net.JoinHostPort(onOneLine(strings.Trim(host, "[]")), text)
}
