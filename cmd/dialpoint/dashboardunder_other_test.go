//go:build !linux

package main

import "errors"

func becomeReaper() error { return errors.ErrUnsupported }
