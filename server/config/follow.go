package config

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"time"
)

const (
	// slowCheck is how often files are read without an event: some file systems tell of none, such as NFS.
	slowCheck = 5 * time.Second
	// blindCheck is the same where events cannot be had at all.
	blindCheck = time.Second
)

var errHandler = errors.New("a handler needs both Apply and Failed")

// Handler is told what [Loader.Follow] finds, in order and never at the same time.
type Handler struct {
	// Apply takes a good configuration that differs from the one in force, or that follows a failure. If it fails, the
	// one in force stays.
	Apply func(*Config) error
	// Failed is told why the newest content of the files is not in force: once, not at every look.
	Failed func(error)
	// Unchanged is told that nothing differs from what is in force, to answer [Loader.Reload]. It may be nil.
	Unchanged func()
}

// Follow keeps a configuration up to date until the context ends, which is no error. It reads again when a file that it
// read changes, the configuration or one that it names, and on [Loader.Reload]. It keeps to the file that is in force: if
// that is gone it does not search for another. Only where there is none yet may one appear.
//
// It needs no events to work. Where the system gives none it reads once a second, else every 5 seconds all the same.
func (l *Loader) Follow(ctx context.Context, now *Config, handler Handler) error {
	if handler.Apply == nil || handler.Failed == nil {
		return errHandler
	}
	f := &follower{loader: l, handler: handler, good: now, changed: make(chan struct{}, 1)}
	defer func() { f.watch.close() }()
	debouncer{changed: f.changed, requested: l.requested}.run(ctx, f.check)
	return nil
}

// follower is the state of one Follow.
type follower struct {
	loader  *Loader
	handler Handler
	// good is in force.
	good *Config
	// failing is set while the newest content is not in force, seen is the newest content.
	failing bool
	seen    fingerprint
	// refused is why the newest content, which is good, could not be applied.
	refused error

	// paths are the files read last. They are watched by watch, which tells changed, a mailbox of one.
	paths   []string
	watch   *watch
	changed chan struct{}
}

// check reads everything, and says when to look again if nothing changes. It watches before it reads: a change in
// between is then told of. A reading may name other files than the one before, such as a new credential file; these are
// watched and everything is read again.
func (f *follower) check(why reason) time.Duration {
	if why != routine || f.watch == nil {
		f.rewatch()
	}
	found := f.read()
	if !slices.Equal(found.files.paths, f.paths) {
		f.paths = found.files.paths
		f.rewatch()
		found = f.read()
	}
	f.judge(f.settled(found), why == requested)
	if f.watch.isComplete() {
		return f.loader.routine
	}
	return blindCheck
}

// read keeps to the file in force.
func (f *follower) read() *reading {
	if f.good == nil {
		return f.loader.read("")
	}
	return f.loader.read(f.good.File)
}

// settled reads until two readings find the same, so that no reading has one file of before a change and another of after
// it, such as an old token and a new credential. What changes all the time is looked at again anyway.
func (f *follower) settled(found *reading) *reading {
	const enough = 5
	for range enough {
		if f.read().fingerprint() == found.fingerprint() {
			break
		}
		// What is watched may be what was there before.
		f.rewatch()
		found = f.read()
	}
	return found
}

// rewatch begins anew rather than to repair: a directory that was removed and made again has another inode, and so has
// what a symlink points to now.
func (f *follower) rewatch() {
	f.watch.close()
	f.watch = newWatch(f.loader.newNotifier, f.paths, f.notify)
}

// notify tells of an event. Of several before the next look one is enough.
func (f *follower) notify() {
	select {
	case f.changed <- struct{}{}:
	default:
	}
}

// judge tells the handler what is new. The same content is judged once, unless somebody requests it. Content that
// differs and comes to the same configuration, such as a comment, is nothing new, but does end a failure.
func (f *follower) judge(found *reading, requested bool) {
	content := found.fingerprint()
	if content == f.seen && !requested && f.refused == nil {
		return
	}
	f.seen = content
	switch isSame := found.err == nil && !f.failing && reflect.DeepEqual(found.config, f.good); {
	case !isSame:
		f.apply(found.config, found.err, requested)
	case requested && f.handler.Unchanged != nil:
		f.handler.Unchanged()
	}
}

// apply hands a good configuration on, or tells why there is none. What cannot be applied is tried again at every look,
// since it may hang on what no file shows, and told of again when the reason is another or somebody asks.
func (f *follower) apply(config *Config, err error, requested bool) {
	before := f.refused
	f.refused = nil
	if err == nil {
		err = f.handler.Apply(config)
		f.refused = err
	}
	if f.failing = err != nil; !f.failing {
		f.good = config
		return
	}
	if before == nil || requested || before.Error() != err.Error() {
		f.handler.Failed(err)
	}
}
