// Command dialpoint tells child processes where to dial, as opposed to where a dashboard binds.
package main

import (
	"os"
)

func main() {
	root := newRoot(os.LookupEnv)
	root.SetOut(steadyFile{os.Stdout})
	root.SetErr(steadyFile{os.Stderr})
	if err := root.Execute(); err != nil {
		if message := err.Error(); message != "" {
			root.PrintErrln("dialpoint:", message)
		}
		os.Exit(exitCode(err))
	}
}
