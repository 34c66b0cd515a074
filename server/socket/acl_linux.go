package socket

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"golang.org/x/sys/unix"
)

// aclAttribute holds a file's POSIX access control list (acl(5), xattr(7)).
const aclAttribute = "system.posix_acl_access"

// The layout of the attribute, from linux/posix_acl_xattr.h: a 32-bit version, then the entries, each a 16-bit tag, 16
// bits of permissions and a 32-bit id, all little endian. The tags are those of linux/posix_acl.h, and entries stand in
// their order.
const (
	aclVersion = 2

	aclOwner      = 0x01
	aclUser       = 0x02
	aclOwnerGroup = 0x04
	aclGroup      = 0x08
	aclMask       = 0x10
	aclOther      = 0x20

	aclNoID = math.MaxUint32
)

// setACL replaces the list of a file. The error is [errors.ErrUnsupported] where the file system has none.
func setACL(path string, entry entry, allow Allow) error {
	err := unix.Lsetxattr(path, aclAttribute, encodeACL(entry, allow), 0)
	return pathError("setxattr", path, err)
}

// removeACL leaves a file with its mode alone.
func removeACL(path string) error {
	err := unix.Lremovexattr(path, aclAttribute)
	if errors.Is(err, unix.ENODATA) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return pathError("removexattr", path, err)
}

// encodeACL is the value of the attribute. Its mask is what those who are named may do, and shows as the group's part of
// the file's mode.
func encodeACL(entry entry, allow Allow) []byte {
	acl := binary.LittleEndian.AppendUint32(nil, aclVersion)
	add := func(tag, permissions uint16, ids ...uint32) {
		for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
			acl = binary.LittleEndian.AppendUint16(acl, tag)
			acl = binary.LittleEndian.AppendUint16(acl, permissions)
			acl = binary.LittleEndian.AppendUint32(acl, id)
		}
	}
	add(aclOwner, entry.owner, aclNoID)
	add(aclUser, entry.named, allow.Users...)
	add(aclOwnerGroup, 0, aclNoID)
	add(aclGroup, entry.named, allow.Groups...)
	add(aclMask, entry.named, aclNoID)
	add(aclOther, 0, aclNoID)
	return acl
}
