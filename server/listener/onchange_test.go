package listener_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"dialpoint/server/listener"
)

// Whoever logs changes hears of each, whatever made it, and in order.
func TestOnChange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		registry := onPort(t, 9119)
		told := make(chan string, 8)
		registry.OnChange(func(before, after listener.Listener) {
			told <- fmt.Sprintf("%s %d %s > %s %d %s, %d", before.Name, before.Bind.Port, before.InstanceID,
				after.Name, after.Bind.Port, after.InstanceID, after.Revision)
		})
		steps := []struct {
			name string
			do   func()
			want []string
		}{
			{"the same", func() { configure(t, registry, config(t, "default", "0.0.0.0", 9119)) }, nil},
			{"another port", func() { configure(t, registry, config(t, "default", "0.0.0.0", 9000)) }, []string{"default 9119  > default 9000 , 102"}},
			{"a report", func() { claim(t, registry, by(t, "a", 80)) }, []string{"default 9000  > default 80 a, 103"}},
			{"a renewal", func() { claim(t, registry, by(t, "a", 80)) }, nil},
			{"the end of the lease", func() { pass(15 * time.Second) }, []string{"default 80 a > default 9000 , 104"}},
			{"a report and its end", func() {
				claim(t, registry, by(t, "b", 81))
				if err := registry.Withdraw("", "b"); err != nil {
					t.Error(err)
				}
			}, []string{"default 9000  > default 81 b, 105", "default 81 b > default 9000 , 106"}},
			{"three at once", func() {
				configure(t, registry, config(t, "z", "0.0.0.0", 1), config(t, "a", "0.0.0.0", 2))
			}, []string{" 0  > a 2 , 107", "default 9000  >  0 , 0", " 0  > z 1 , 107"}},
		}
		for _, step := range steps {
			step.do()
			var got []string
			for len(told) > 0 {
				got = append(got, <-told)
			}
			if diff := cmp.Diff(step.want, got); diff != "" {
				t.Errorf("%s: -want +got\n%s", step.name, diff)
			}
		}
	})
}
