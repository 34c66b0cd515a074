// Command dialpoint tells child processes where to dial, as opposed to where a dashboard binds.
package main

import (
	"fmt"
	"os"
)

func main() {
	root := newRoot(os.LookupEnv)
	if err := root.Execute(); err != nil {
		if message := err.Error(); message != "" {
			fmt.Fprintln(os.Stderr, "dialpoint:", message)
		}
		os.Exit(exitCode(err))
	}
}
