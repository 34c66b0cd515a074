package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain puts a dialpoint into PATH that is this test's binary: what the tests start is what they were built with,
// race detector and coverage included.
func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"dialpoint": main}) }
