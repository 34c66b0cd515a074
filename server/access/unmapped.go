package access

import "slices"

// noID is where no id can be unmapped.
const noID = -1

// unmapped are the ids that the kernel shows for users and groups from outside this process's user namespace
// (user_namespaces(7)). All strangers look alike, and may look like this process: they are nobody one knows.
type unmapped struct{ user, group int64 }

// isUser reports whether a user's id may stand for any stranger.
func (u unmapped) isUser(id uint32) bool { return int64(id) == u.user }

// users are those of the ids that can only mean one user.
func (u unmapped) users(ids ...uint32) []uint32 { return without(ids, u.user) }

// groups are those of the ids that can only mean one group.
func (u unmapped) groups(ids ...uint32) []uint32 { return without(ids, u.group) }

func without(ids []uint32, stranger int64) []uint32 {
	return slices.DeleteFunc(slices.Clone(ids), func(id uint32) bool { return int64(id) == stranger })
}
