package access_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"dialpoint/server/access"
)

const stranger = 65533

// abstract is the name of a socket that no directory keeps another user from (unix(7)).
func abstract(t *testing.T) string {
	t.Helper()
	return fmt.Sprintf("@dialpoint-access-%d-%s", os.Getpid(), strings.ReplaceAll(t.Name(), "/", "-"))
}

// callAs is what a process of another user is told, or of this one when who is empty.
func callAs(t *testing.T, socket, who string) string {
	t.Helper()
	answer, err := process(t, "-access.call", socket, "-access.become", who).Output()
	must(t, err)
	return strings.TrimSpace(string(answer))
}

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user")
	}
}

func TestOtherUsers(t *testing.T) {
	t.Parallel()
	needRoot(t)
	many := make([]string, 100)
	for i := range many {
		many[i] = fmt.Sprint(70000 + i)
	}
	tests := map[string]struct {
		policy access.Policy
		who    string
		want   string
	}{
		"same user":               {access.Policy{}, "", "operator"},
		"another":                 {withTokens(), "65533:65533:", "PEER_FORBIDDEN"},
		"user allowed":            {access.Policy{AllowUsers: []uint32{stranger}}, "65533:65533:", "child"},
		"another user allowed":    {access.Policy{AllowUsers: []uint32{65532}}, "65533:65533:", "PEER_FORBIDDEN"},
		"user's id as a group":    {access.Policy{AllowGroups: []uint32{stranger}}, "65533:65532:", "PEER_FORBIDDEN"},
		"group's id as a user":    {access.Policy{AllowUsers: []uint32{65532}}, "65533:65532:65532", "PEER_FORBIDDEN"},
		"primary group allowed":   {access.Policy{AllowGroups: []uint32{65532}}, "65533:65532:", "child"},
		"group allowed":           {access.Policy{AllowGroups: []uint32{65531}}, "65533:65533:1,65531", "child"},
		"group not allowed":       {access.Policy{AllowGroups: []uint32{65531}}, "65533:65533:1,2", "PEER_FORBIDDEN"},
		"last of many groups":     {access.Policy{AllowGroups: []uint32{70099}}, "65533:65533:" + strings.Join(many, ","), "child"},
		"none of many groups":     {access.Policy{AllowGroups: []uint32{70100}}, "65533:65533:" + strings.Join(many, ","), "PEER_FORBIDDEN"},
		"32 groups, just fitting": {access.Policy{AllowGroups: []uint32{70031}}, "65533:65533:" + strings.Join(many[:32], ","), "child"},
		"33 groups, one over":     {access.Policy{AllowGroups: []uint32{70032}}, "65533:65533:" + strings.Join(many[:33], ","), "child"},
		"in root's group":         {access.Policy{}, "65533:0:0", "PEER_FORBIDDEN"},
		// Every id is mapped here, so that 65534 is a user as any other.
		"nobody, allowed": {access.Policy{AllowUsers: []uint32{65534}}, "65534:65534:", "child"},
		"nobody":          {access.Policy{}, "65534:65534:", "PEER_FORBIDDEN"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if strings.HasPrefix(name, "nobody") && !mapsAll(t) {
				t.Skip("this is a user namespace, in which 65534 is nobody one knows")
			}
			socket := abstract(t)
			serve(t, webServer(access.NewGate(discard, test.policy)), listen(t, "unix", socket))
			if got := callAs(t, socket, test.who); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func mapsAll(t *testing.T) bool {
	t.Helper()
	table, err := os.ReadFile("/proc/self/uid_map")
	must(t, err)
	return bytes.Contains(table, []byte("4294967295"))
}

// A service in a user namespace sees all users from outside it as one, and must take none of them for itself.
func TestUserNamespace(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		service int // The id that this process's user has inside.
		who     string
		want    string
	}{
		"same user":                      {0, "", "operator"},
		"a stranger":                     {0, "65533:65533:", "PEER_FORBIDDEN"},
		"a stranger who is 65534":        {0, "65534:65534:", "PEER_FORBIDDEN"},
		"a stranger with groups":         {0, "65533:65533:65531,65532", "PEER_FORBIDDEN"},
		"a stranger like the service":    {65534, "65533:65533:", "PEER_FORBIDDEN"},
		"the service's user, as 65534":   {65534, "", "PEER_FORBIDDEN"},
		"the service's user, as another": {1000, "", "operator"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.who != "" {
				needRoot(t)
			}
			socket := abstract(t)
			serveInNamespace(t, socket, test.service)
			if got := callAs(t, socket, test.who); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// serveInNamespace serves from a process whose user namespace maps this process's user and group alone.
func serveInNamespace(t *testing.T, socket string, id int) {
	t.Helper()
	service := process(t, "-access.serve", socket)
	service.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: id, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: id, HostID: os.Getegid(), Size: 1}},
	}
	input, err := service.StdinPipe()
	must(t, err)
	output, err := service.StdoutPipe()
	must(t, err)
	if err := service.Start(); err != nil {
		t.Skipf("no user namespace can be made here: %v", err)
	}
	t.Cleanup(func() {
		_ = input.Close()
		_ = service.Wait()
	})
	if line, err := bufio.NewReader(output).ReadString('\n'); line != "ready\n" {
		t.Fatalf("the service says %q, %v", line, err)
	}
}

// The kernel's word counts, not what the user database says of the user.
func TestPeerGroups(t *testing.T) {
	t.Parallel()
	want, err := os.Getgroups()
	must(t, err)
	got, err := access.PeerOf(accepted(t, unixSocket(t)))
	must(t, err)
	if fmt.Sprint(got.Groups) != fmt.Sprint(want) {
		t.Errorf("got groups %v, want %v", got.Groups, want)
	}
}
