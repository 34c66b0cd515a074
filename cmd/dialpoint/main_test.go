package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain puts a dialpoint into PATH that is this test's binary: what the tests start has the race detector if they
// have. The program child is what exec runs, dashboard what report and serve run, and under runs another program with
// something set that it inherits.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"dialpoint": main, "child": childMain, "dashboard": dashboardMain, "under": underMain})
}
