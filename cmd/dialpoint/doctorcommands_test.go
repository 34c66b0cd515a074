package main_test

import (
	"context"
	"os"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"

	"dialpoint/cmd/dialpoint/doctor/patient"
	"dialpoint/examples/wildcard/dashboard"
)

// dashboard-start NAME NETWORK ADDRESS [TOKEN]: starts a dashboard that is well, and wants the token. The variable
// NAME_PORT says where it is. It ends with the script.
func dashboardStart(ts *testscript.TestScript, args []string) error {
	token := ""
	if len(args) > 3 {
		token = args[3]
	}
	started, err := dashboard.Listen(context.Background(), args[1], args[2], token)
	if err != nil {
		return err
	}
	ts.Defer(func() { ts.Check(started.Close()) })
	ts.Setenv(args[0]+"_PORT", strconv.Itoa(started.Port()))
	return nil
}

// patient-start NAME KIND: starts a dashboard that is ill in one way, as [patient.Start] does. The variable NAME_PORT
// says where it is, and the file NAME.pem holds the authority of one that speaks TLS. It ends with the script.
func patientStart(ts *testscript.TestScript, args []string) error {
	started, err := patient.Start(args[1])
	if err != nil {
		return err
	}
	ts.Defer(func() { ts.Check(started.Close()) })
	ts.Setenv(args[0]+"_PORT", started.Port())
	return os.WriteFile(ts.MkAbs(args[0]+".pem"), started.Authority(), 0o600)
}
