//go:build linux

package access

import (
	"os"
	"runtime"
	"syscall"
	"testing"
)

// A kernel before 5.14 shows no more than the processes that can be seen. What cannot be seen is not elsewhere.
func TestIsProcessInOtherNetwork(t *testing.T) {
	t.Parallel()
	const none = 1 << 30 // Above the highest PID there can be (proc_sys_kernel(5)).
	for name, pid := range map[string]int{"this one": os.Getpid(), "of another PID namespace": 0, "gone": none, "no PID": -1} {
		if isProcessInOtherNetwork(pid) {
			t.Errorf("%s: it counts as one of another network", name)
		}
	}
}

func TestIsProcessInOtherNetworkOfAThread(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can make a network namespace")
	}
	thread, checked := make(chan int), make(chan struct{})
	unshared := make(chan error)
	go func() {
		runtime.LockOSThread() // The thread ends with this: nothing else may run where it is.
		thread <- syscall.Gettid()
		<-checked
		unshared <- syscall.Unshare(syscall.CLONE_NEWNET)
		<-checked
	}()
	id := <-thread
	if isProcessInOtherNetwork(id) {
		t.Error("it counts as one of another network before it is there")
	}
	checked <- struct{}{}
	defer close(checked)
	if err := <-unshared; err != nil {
		t.Skipf("no network namespace can be made here: %v", err)
	}
	if !isProcessInOtherNetwork(id) {
		t.Error("it does not count as one of another network")
	}
}
