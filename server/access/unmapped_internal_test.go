//go:build linux

package access

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

const whole = "         0          0 4294967295\n"

func TestUnmapped(t *testing.T) {
	t.Parallel()
	// The files of a /proc; one that is missing is not there to be read.
	tests := map[string]struct {
		files map[string]string
		want  unmapped
	}{
		"every id mapped": {map[string]string{"uid_map": whole, "gid_map": whole, "overflowuid": "65534\n", "overflowgid": "65534\n"}, unmapped{noID, noID}},
		"in two ranges": {
			map[string]string{"uid_map": "0 0 1000\n1000 1000 4294966295\n", "gid_map": "0 1 4294967294\n4294967294 0 1\n"},
			unmapped{noID, noID},
		},
		"users alone":           {map[string]string{"uid_map": whole, "gid_map": "0 1000 1\n", "overflowgid": "65533\n"}, unmapped{noID, 65533}},
		"groups alone":          {map[string]string{"uid_map": "0 1000 65536\n", "gid_map": whole, "overflowuid": "9\n"}, unmapped{9, noID}},
		"all but one":           {map[string]string{"uid_map": "0 0 4294967294\n", "gid_map": whole}, unmapped{65534, noID}},
		"not mapped yet":        {map[string]string{"uid_map": "", "gid_map": ""}, unmapped{65534, 65534}},
		"no /proc":              {nil, unmapped{65534, 65534}},
		"overflow is no number": {map[string]string{"overflowuid": "x", "overflowgid": "-1"}, unmapped{65534, 65534}},
		"overflow is too large": {map[string]string{"overflowuid": "4294967296", "overflowgid": ""}, unmapped{65534, 65534}},
		"map is no map":         {map[string]string{"uid_map": "0 0\n", "gid_map": "0 0 x\n"}, unmapped{65534, 65534}},
		"too many":              {map[string]string{"uid_map": whole + "0 0 1\n", "gid_map": "0 0 4294967296\n"}, unmapped{65534, 65534}},
		"a word behind":         {map[string]string{"uid_map": "0 0 4294967295 0\n", "gid_map": whole}, unmapped{65534, noID}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := unmappedIn(os.DirFS(procOf(t, test.files))); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

func procOf(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	places := map[string]string{"uid_map": "self", "gid_map": "self", "overflowuid": "sys/kernel", "overflowgid": "sys/kernel"}
	for name, text := range files {
		dir := filepath.Join(root, places[name])
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestStrangersAreLeftOut(t *testing.T) {
	t.Parallel()
	ids := []uint32{0, 65534, 7, 65534}
	tests := map[string]struct {
		strangers unmapped
		users     []uint32
		groups    []uint32
	}{
		"none":      {unmapped{noID, noID}, ids, ids},
		"both":      {unmapped{65534, 65534}, []uint32{0, 7}, []uint32{0, 7}},
		"apart":     {unmapped{7, 0}, []uint32{0, 65534, 65534}, []uint32{65534, 7, 65534}},
		"root's id": {unmapped{0, 0}, []uint32{65534, 7, 65534}, []uint32{65534, 7, 65534}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			users, groups := test.strangers.users(ids...), test.strangers.groups(ids...)
			if !slices.Equal(users, test.users) || !slices.Equal(groups, test.groups) {
				t.Errorf("got users %v and groups %v, want %v and %v", users, groups, test.users, test.groups)
			}
		})
	}
	if !slices.Equal(ids, []uint32{0, 65534, 7, 65534}) {
		t.Error("the list was changed")
	}
}

func FuzzMapsEveryID(f *testing.F) {
	for _, table := range []string{whole, "", "0 0 1\n", "0 0 4294967294\n4294967294 0 1", "a b c\n", "0 0\n", "0 0 4294967296"} {
		f.Add(table)
	}
	f.Fuzz(func(t *testing.T, table string) {
		if !mapsEveryID(table) {
			return
		}
		if len(table) < len("0 0 4294967295") {
			t.Errorf("%q maps %d ids", table, uint32(math.MaxUint32))
		}
		if mapsEveryID(table + "\n0 0 1\n") {
			t.Errorf("%q and one more is too many", table)
		}
	})
}
