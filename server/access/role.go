package access

import "context"

// Role is what a caller may do. A greater role may do all that a lesser one may.
type Role uint8

// The roles. The zero Role is Nobody.
const (
	// Nobody may ask for health and reflection.
	Nobody Role = iota
	// Child may resolve and watch endpoints.
	Child
	// Operator may do everything.
	Operator
)

// String is the role in lower case. A number that is no role reads "nobody".
func (r Role) String() string {
	switch r {
	case Child:
		return "child"
	case Operator:
		return "operator"
	default:
		return "nobody"
	}
}

type roleKey struct{}

func withRole(ctx context.Context, role Role) context.Context {
	return context.WithValue(ctx, roleKey{}, role)
}

// RoleOf is the role that [Gate.Middleware] gave to the caller of a request: [Nobody] where it did not run, and for
// health and reflection, which do not ask who calls.
func RoleOf(ctx context.Context) Role {
	role, _ := ctx.Value(roleKey{}).(Role)
	return role
}
