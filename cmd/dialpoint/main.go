// Command dialpoint tells child processes where to dial, as opposed to where a dashboard binds.
package main

import (
	"fmt"
	"os"
)

func main() {
	root := newRoot(os.LookupEnv)
	if err := root.Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "dialpoint:", err)
		os.Exit(exitCode(err))
	}
}
