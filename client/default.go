package client

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// The environment variables that a client reads where its fields say nothing. Blank is not set.
const (
	// AddressEnv names the variable that says where the service listens, in the form of [ParseAddresses].
	AddressEnv = "DIALPOINT_ADDR"
	// TokenFileEnv names the variable with the path of a file, as in Client.TokenFile.
	TokenFileEnv = "DIALPOINT_TOKEN_FILE"
	// TokenEnv names the variable with the token itself. It counts where no file is named.
	TokenEnv = "DIALPOINT_TOKEN"
	// CAFileEnv, CertFileEnv and KeyFileEnv name the variables with the paths of files, as in Client.CAFile,
	// Client.CertFile and Client.KeyFile.
	CAFileEnv   = "DIALPOINT_CA_FILE"
	CertFileEnv = "DIALPOINT_CERT_FILE"
	KeyFileEnv  = "DIALPOINT_KEY_FILE"
)

// DefaultSocket is the path at which a service listens that was not told otherwise, and where clients look for it:
//
//  1. $XDG_RUNTIME_DIR/dialpoint/dialpoint.sock. A relative directory counts as not set, as the XDG Base Directory
//     Specification has it.
//  2. /run/dialpoint/dialpoint.sock for root.
//  3. $TMPDIR/dialpoint-$UID/dialpoint.sock. Without TMPDIR, or where it is relative, it is below /tmp.
//
// The environment is read through lookupEnv, as a rule [os.LookupEnv].
func DefaultSocket(lookupEnv func(string) (string, bool)) string {
	return defaultSocket(lookupEnv, os.Getuid())
}

// defaultSocket is [DefaultSocket] for any user. The user's id stands in the last directory's name, so that whoever came
// first to a shared directory does not keep others out.
func defaultSocket(lookupEnv func(string) (string, bool), uid int) string {
	const name = "dialpoint.sock"
	if dir := said(lookupEnv, "XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "dialpoint", name)
	}
	if uid == 0 {
		return filepath.Join("/run/dialpoint", name)
	}
	dir := said(lookupEnv, "TMPDIR")
	if !filepath.IsAbs(dir) {
		dir = "/tmp"
	}
	return filepath.Join(dir, "dialpoint-"+strconv.Itoa(uid), name)
}

// DefaultAddress is where to look for the service when nothing else is said: [AddressEnv], or when that is unset or
// blank, [DefaultSocket]. It is not checked: [ParseAddresses] does that.
func DefaultAddress(lookupEnv func(string) (string, bool)) string {
	if address := said(lookupEnv, AddressEnv); address != "" {
		return address
	}
	return schemeUnix + "://" + DefaultSocket(lookupEnv)
}

// locate reads addresses, or the default one in place of a blank. Its errors say where a default came from.
func locate(text string, lookupEnv func(string) (string, bool)) ([]Address, error) {
	if !isBlank(text) {
		return ParseAddresses(text)
	}
	addresses, err := ParseAddresses(DefaultAddress(lookupEnv))
	switch {
	case err == nil:
		return addresses, nil
	case said(lookupEnv, AddressEnv) != "":
		return nil, fmt.Errorf("env %s: %w", AddressEnv, err)
	default:
		return nil, fmt.Errorf("default socket, since env %s is not set: %w", AddressEnv, err)
	}
}

func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

// said is what the environment says, without white space around it. Blank is not set.
func said(lookupEnv func(string) (string, bool), name string) string {
	value, _ := lookupEnv(name)
	return strings.TrimSpace(value)
}
