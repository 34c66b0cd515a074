package listener

// SetProbed says whether a probe of a listener found that only IPv6 answers on its port. It takes the listener as it was
// when the probe began, and returns false without any effect for one that is not bound like that any more, or not at all.
// What was found stands for as long as the bind and its holder do, and is no part of what was said.
func (r *Registry) SetProbed(probed Listener, onlyIPv6Answers bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	old, exists := r.Snapshot().listeners[probed.Name]
	if r.closed || !exists || !old.IsBound() || old.BindRevision != probed.BindRevision {
		return false
	}
	now := *old
	now.Bind.OnlyIPv6Answers = onlyIPv6Answers
	r.replace(&now)
	return true
}

// keepProbed lets a listener that is bound as before know since when, and what was found then.
func (l *Listener) keepProbed(before *Listener) {
	l.Bind.OnlyIPv6Answers = false
	if before == nil || l.lease != before.lease || !l.Bind.SaysSame(before.Bind) {
		return
	}
	l.BindRevision = before.BindRevision
	l.Bind.OnlyIPv6Answers = before.Bind.OnlyIPv6Answers
}
