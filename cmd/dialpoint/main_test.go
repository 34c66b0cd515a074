package main

import (
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain puts a dialpoint into PATH that is this test's binary: what the tests start has the race detector if they
// have. The program child is what exec runs, dashboard what report and serve run, and under runs another program with
// something set that it inherits.
func TestMain(m *testing.M) {
	testscript.Main(heeding{m}, map[string]func(){"dialpoint": main, "child": childMain, "dashboard": dashboardMain, "under": underMain})
}

// heeding runs the tests where signals are heeded, even below nohup or in the background of a script. What ignores a signal
// hands that on to what it starts; what catches one does not.
type heeding struct{ *testing.M }

func (h heeding) Run() int {
	for _, number := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT} {
		if signal.Ignored(number) {
			signal.Notify(make(chan os.Signal, 1), number)
		}
	}
	return h.M.Run()
}
