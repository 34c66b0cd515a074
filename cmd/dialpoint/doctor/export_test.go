package doctor

import (
	"context"
	"net/url"
	"time"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// Proxies are the checks of an answer that need no dashboard.
func Proxies(answer *dialpointv1.Endpoints, env func(string) (string, bool)) []Check {
	s, err := newSubject(answer)
	if err != nil {
		return nil
	}
	return proxies(s, env)
}

// Caught is the variable that catches a URL by each manner.
func Caught(target *url.URL, env func(string) (string, bool)) map[string]string {
	caught := make(map[string]string)
	for _, manner := range manners {
		caught[manner.name] = manner.route(target, env).variable
	}
	return caught
}

// CurlExcepts and PythonExcepts read a list of exceptions.
var CurlExcepts = curlExcepts

func PythonExcepts(list string, target *url.URL) bool {
	return pythonExcepts(func(name string) (string, bool) { return list, name == noProxyLower }, target)
}

// LeaseLeft is the check of a lease at some time.
func LeaseLeft(listener *dialpointv1.Listener, now time.Time) Check { return leaseLeft(listener, now) }

// NotConnected are the words for an error of a connection to an answer's address.
func NotConnected(answer *dialpointv1.Endpoints, err error) (finding, advice string) {
	s, invalid := newSubject(answer)
	if invalid != nil {
		return invalid.Error(), ""
	}
	return notConnected(s, err)
}

// Shake is what goes wrong with a handshake.
func (d *Doctor) Shake(ctx context.Context, target string) error { return d.shake(ctx, target).err }
