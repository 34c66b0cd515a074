package access

import (
	"crypto/sha256"
	"crypto/subtle"
	"slices"

	"dialpoint/server/rules"
)

// Policy is who may call. The zero Policy lets in, over a unix socket, root and the user of this process.
type Policy struct {
	// ChildToken makes a caller over TCP a [Child], and OperatorToken an [Operator]. One that is zero matches nothing.
	// They must differ.
	ChildToken, OperatorToken rules.Secret
	// AllowUsers and AllowGroups are the ids of those who are a [Child] over a unix socket.
	AllowUsers, AllowGroups []uint32
	// AllowedHosts are hosts by which callers over TCP may call this service, as [rules.Host.String] writes them. The
	// names and addresses of loopback and the address on which a connection came in are always allowed. A wildcard and
	// what is no host are left out.
	AllowedHosts []string
	// Trusted makes an [Operator] of everybody: the program that embeds the service has checked who calls. Host and
	// Origin are guarded all the same, since they tell of the caller's caller.
	Trusted bool
}

// enforced is a policy made ready to be applied. It never changes.
type enforced struct {
	trusted bool
	// strangers are the ids that the lists below do not hold, since they say nothing of who it is.
	strangers unmapped
	// operators and users hold ids of users, groups those of groups.
	operators, users, groups []uint32
	child, operator          digest
	hosts                    map[place]bool
}

// enforce makes a policy ready for a process of the user self.
func enforce(policy Policy, self uint32, strangers unmapped) *enforced {
	const root = 0
	return &enforced{
		trusted:   policy.Trusted,
		strangers: strangers,
		operators: strangers.users(root, self),
		users:     strangers.users(policy.AllowUsers...),
		groups:    strangers.groups(policy.AllowGroups...),
		child:     digestOf(policy.ChildToken),
		operator:  digestOf(policy.OperatorToken),
		hosts:     placesOf(policy.AllowedHosts),
	}
}

// peerRole is the role of a peer over a unix socket.
func (e *enforced) peerRole(peer Peer) Role {
	switch {
	case slices.Contains(e.operators, peer.UID):
		return Operator
	case slices.Contains(e.users, peer.UID) || peer.isIn(e.groups):
		return Child
	default:
		return Nobody
	}
}

// tokenRole is the role that a token gives. It compares with both tokens, whatever the first says, and takes as long
// for every token of one length.
func (e *enforced) tokenRole(token string) Role {
	sum := sha256.Sum256([]byte(token))
	isChild, isOperator := e.child.matches(sum), e.operator.matches(sum)
	switch {
	case isOperator:
		return Operator
	case isChild:
		return Child
	default:
		return Nobody
	}
}

// digest stands for a token: digests have one length, so that comparing them tells nothing of the token's.
type digest struct {
	sum   [sha256.Size]byte
	isSet bool
}

func digestOf(token rules.Secret) digest {
	return digest{sha256.Sum256([]byte(token.Reveal())), !token.IsZero()}
}

func (d digest) matches(sum [sha256.Size]byte) bool {
	return subtle.ConstantTimeCompare(d.sum[:], sum[:]) == 1 && d.isSet
}
