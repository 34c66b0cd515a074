package config

import (
	"errors"
	"fmt"
	"math"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// UnixAllow is who may resolve and watch over the socket beside its owner. Each id is there once.
type UnixAllow struct {
	// Users and Groups are numeric ids, in the order of the file.
	Users, Groups []uint32
}

// unixAllow reads who may call over the socket. Names are looked up at each load, and their ids are what counts.
func (r *reading) unixAllow(unix string) UnixAllow {
	var allow UnixAllow
	for _, item := range r.items(keyUnixAllow, r.document.Serve.UnixAllow) {
		if err := allow.add(item.text); err != nil {
			r.refuse(item, err)
		}
	}
	if unix == off && len(allow.Users)+len(allow.Groups) > 0 {
		r.warn(keyUnixAllow.path + " has no effect, since serve.unix is none")
	}
	return allow
}

func (a *UnixAllow) add(text string) error {
	who, err := parseAccount(text)
	if err != nil {
		return err
	}
	id, err := who.number()
	if err != nil {
		return badValue(text, err.Error())
	}
	ids := &a.Users
	if who.isGroup {
		ids = &a.Groups
	}
	if !slices.Contains(*ids, id) {
		*ids = append(*ids, id)
	}
	return nil
}

// account is a user or a group of this machine.
type account struct {
	isGroup bool
	// name is a name, or an id in decimal.
	name string
}

// parseAccount reads "user:NAME", "user:ID", "group:NAME" or "group:ID". It looks nothing up.
func parseAccount(text string) (account, error) {
	kind, name, _ := strings.Cut(strings.TrimSpace(text), ":")
	switch {
	case kind != "user" && kind != "group", name == "":
		return account{}, badValue(text, "must be user:NAME, user:ID, group:NAME or group:ID")
	case strings.ContainsFunc(name, unicode.IsSpace), strings.ContainsFunc(name, unicode.IsControl):
		// A zero byte would end the name for the C library that may look it up.
		return account{}, badValue(text, "must name a user or a group without white space in it")
	}
	return account{isGroup: kind == "group", name: name}, nil
}

// number is the id. A name that is all digits is one already, as it is for chown.
func (a account) number() (uint32, error) {
	digits := a.name
	if strings.Trim(digits, "0123456789") != "" {
		var err error
		if digits, err = a.lookUp(); err != nil {
			return 0, err
		}
	}
	id, err := strconv.ParseUint(digits, 10, 32)
	if err != nil || id == math.MaxUint32 {
		// The highest id is -1 to the kernel, which means no id at all (chown(2)).
		return 0, errors.New("must have an id from 0 to 4294967294")
	}
	return uint32(id), nil
}

// lookUp is the id of a name, in decimal.
func (a account) lookUp() (string, error) {
	if a.isGroup {
		group, err := user.LookupGroup(a.name)
		if err != nil {
			return "", cannotLookUp("group", err)
		}
		return group.Gid, nil
	}
	found, err := user.Lookup(a.name)
	if err != nil {
		return "", cannotLookUp("user", err)
	}
	return found.Uid, nil
}

// cannotLookUp tells a name that is not there from one that could not be looked for.
func cannotLookUp(kind string, err error) error {
	_, noUser := errors.AsType[user.UnknownUserError](err)
	_, noGroup := errors.AsType[user.UnknownGroupError](err)
	if noUser || noGroup {
		return fmt.Errorf("there is no such %s here: make one, or name another", kind)
	}
	return fmt.Errorf("the %s cannot be looked up: %w", kind, err)
}
