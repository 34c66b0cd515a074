package doctor

import (
	"context"
	"errors"
	"net"
	"syscall"
)

// connect opens a TCP connection and closes it.
func (d *Doctor) connect(ctx context.Context, s subject) Check {
	check := Check{Name: CheckConnect, Status: StatusOK}
	conn, err := d.dialer().DialContext(ctx, "tcp", s.address())
	if err != nil {
		check.Status = StatusFailed
		check.Finding, check.Advice = notConnected(s, err)
		return check
	}
	check.Finding = "something listens on " + s.address()
	if reached := conn.RemoteAddr().String(); reached != s.address() {
		check.Finding += ", reached at " + reached
	}
	_ = conn.Close()
	return check
}

// notConnected says why there is no connection. What an error of a connection says is addresses and the system's words.
func notConnected(s subject, err error) (finding, advice string) {
	if unknown, found := errors.AsType[*net.DNSError](err); found {
		return "the name " + s.target.Hostname() + " cannot be looked up here: " + unknown.Err,
			"give a host that children can look up: " + s.correction()
	}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens on " + s.address(), "start the dashboard; if it listens elsewhere, " + s.correction()
	case isTimeout(err):
		return s.address() + " did not answer in time",
			"see whether the dashboard hangs or a firewall drops the connection; if it listens elsewhere, " + s.correction()
	}
	if operation, found := errors.AsType[*net.OpError](err); found {
		err = operation.Err
	}
	return "no connection to " + s.address() + ": " + err.Error(), "if the dashboard listens elsewhere, " + s.correction()
}

func isTimeout(err error) bool {
	timeout, found := errors.AsType[net.Error](err)
	return found && timeout.Timeout()
}

// answers says whether something listens at an address.
func (d *Doctor) answers(ctx context.Context, address string) bool {
	conn, err := d.dialer().DialContext(ctx, "tcp", address)
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}
