package main

import (
	"bytes"
	"encoding/json"
	"strings"

	"dialpoint/cmd/dialpoint/doctor"
)

// reportsText is a table of checks, and below it what to set.
func reportsText(reports []doctor.Report) (string, error) {
	rows := newTable()
	rows.row("LISTENER", "CHECK", "STATUS", "FINDING")
	for _, report := range reports {
		for _, check := range report.Checks {
			rows.row(onOneLine(report.Listener), checkName(check), string(check.Status), onOneLine(check.Finding))
		}
	}
	return rows.String() + advice(reports), nil
}

// advice is what to set, each once for a listener.
func advice(reports []doctor.Report) string {
	var lines strings.Builder
	for _, report := range reports {
		said := make(map[string]bool)
		for _, check := range report.Checks {
			if check.Advice == "" || said[check.Advice] {
				continue
			}
			said[check.Advice] = true
			lines.WriteString("\n" + onOneLine(report.Listener) + ", " + checkName(check) + ": " + onOneLine(check.Advice))
		}
	}
	if lines.Len() == 0 {
		return ""
	}
	return "\nwhat to do:" + lines.String() + "\n"
}

// checkName is a check and what it is about.
func checkName(check doctor.Check) string {
	return strings.TrimSpace(check.Name + " " + check.Endpoint + check.Client)
}

// reportsJSON is the reports for scripts.
func reportsJSON(reports []doctor.Report) (string, error) {
	document := struct {
		Status    doctor.Status   `json:"status"`
		Listeners []doctor.Report `json:"listeners"`
	}{doctor.StatusOK, reports}
	for _, report := range reports {
		document.Status = doctor.Worst(document.Status, report.Status)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	// A URL has an "&", and this is no page.
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(document)
	return out.String(), err
}
