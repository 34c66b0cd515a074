package config_test

import (
	"os"
	"path/filepath"
	"testing"
)

const one = "store: memory\n"

// TestSearch is which file counts of those in two directories, the working directory first.
func TestSearch(t *testing.T) {
	names := []string{"dialpoint.yaml", "dialpoint.yml", "dialpoint.toml", "dialpoint.json"}
	content := map[string]string{"dialpoint.toml": "store = 'memory'", "dialpoint.json": `{"store": "memory"}`}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			here, there := t.TempDir(), t.TempDir()
			t.Chdir(here)
			from := sources(nil)
			from.SearchDirs = []string{"./", filepath.Join(here, "missing"), there}
			wantText(t, load(t, from).File, "")
			text := content[name]
			if text == "" {
				text = one
			}
			write(t, there, name, text)
			wantText(t, load(t, from).File, filepath.Join(there, name))
			write(t, here, name, text)
			loaded := load(t, from)
			wantText(t, loaded.File, name)
			_, source := setting(t, loaded, "store")
			wantText(t, source, "file "+name+" store")
		})
	}
}

func TestSearchRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	from := sources(nil)
	from.SearchDirs = []string{dir}
	write(t, dir, "dialpoint.yaml", one)
	write(t, dir, "dialpoint.json", one)
	wantText(t, loadError(t, from), "there are several configuration files, "+filepath.Join(dir, "dialpoint.yaml")+" and "+
		filepath.Join(dir, "dialpoint.json")+": keep one of them, or name it with --config")
}

// TestSearchFindsDanglingLink checks that a file that is meant to be there is not passed over.
func TestSearchFindsDanglingLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "dialpoint.yaml")
	if err := os.Symlink("missing", path); err != nil {
		t.Fatal(err)
	}
	from := sources(nil)
	from.SearchDirs = []string{dir}
	wantText(t, loadError(t, from), "file "+path+": it cannot be read: no such file or directory")
}

// TestSearchPassesFile checks a search directory that is a file: nothing is in it.
func TestSearchPassesFile(t *testing.T) {
	t.Parallel()
	from := sources(nil)
	from.SearchDirs = []string{write(t, t.TempDir(), "file", one)}
	wantText(t, load(t, from).File, "")
}

// TestSearchInLoop checks a directory that cannot be looked into: it may hold the file that is meant.
func TestSearchInLoop(t *testing.T) {
	t.Parallel()
	loop := filepath.Join(t.TempDir(), "loop")
	if err := os.Symlink("loop", loop); err != nil {
		t.Fatal(err)
	}
	from := sources(nil)
	from.SearchDirs = []string{loop}
	wantText(t, loadError(t, from), "no configuration file can be looked for: lstat "+filepath.Join(loop, "dialpoint.yaml")+
		": too many levels of symbolic links: make the directory readable, or name the file with --config")
}

// TestNamedFile is who may name a file: the flag, then the variable, then the search.
func TestNamedFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	byFlag, byEnv := write(t, dir, "flag.yaml", one), write(t, dir, "env.yaml", one)
	bySearch := write(t, dir, "dialpoint.yaml", one)
	from := sources(vars{"DIALPOINT_CONFIG": ` "` + byEnv + `"` + "\r\n"})
	from.Path, from.SearchDirs = byFlag, []string{dir}
	wantText(t, load(t, from).File, byFlag)
	from.Path = ""
	wantText(t, load(t, from).File, byEnv)
	from.LookupEnv = vars{"DIALPOINT_CONFIG": " "}.lookup
	wantText(t, load(t, from).File, bySearch)
}

func TestNamedFileRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "dir.yaml"), 0o700); err != nil {
		t.Fatal(err)
	}
	makeFIFO(t, filepath.Join(dir, "fifo.yaml"))
	write(t, dir, "empty.yaml", "")
	tests := map[string]struct{ name, want string }{
		"missing":         {"missing.yaml", "it cannot be read: no such file or directory"},
		"directory":       {"dir.yaml", "it is a directory: name a file"},
		"pipe":            {"fifo.yaml", "it is no regular file, so it cannot be read again when it changes"},
		"empty":           {"empty.yaml", "it is empty: write at least one key, such as listeners, or remove the file"},
		"no extension":    {"dialpoint", `its extension is "": it must be .yaml, .yml, .toml or .json`},
		"other extension": {"dialpoint.ini", `its extension is ".ini": it must be .yaml, .yml, .toml or .json`},
		"viper's others":  {"dialpoint.env", `its extension is ".env": it must be .yaml, .yml, .toml or .json`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := sources(nil)
			from.Path = filepath.Join(dir, test.name)
			wantText(t, loadError(t, from), "file FILE (flag --config): "+test.want)
			path := from.Path
			from = sources(vars{"DIALPOINT_CONFIG": path})
			wantText(t, loadError(t, from), "file "+path+" (env DIALPOINT_CONFIG): "+test.want)
		})
	}
}
