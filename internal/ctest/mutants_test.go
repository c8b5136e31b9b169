package ctest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mutants are edits of the C code, each a mistake in a sign, a constant or a comparison, or a step left out.
var mutants = []struct{ file, before, after string }{
	{"reps_common.h", "+ ((word & 0xffffffff) * n >> 32)", ""},
	{"reps_common.h", " || size % 4 != 0", ""},
	{"reps_common.h", "i < 4 * known", "i < 4 * known + 4"},
	{"reps_common.h", "c[i] > most[i]", "c[i] >= most[i]"},
	{"reps_common.h", "i-- > 1;", "i-- > 2;"},

	{"reps.c", "slot + 1 < slots", "slot + 1 <= slots"},
	{"reps.c", "r->head >= n", "r->head > n"},
	{"reps.c", "r->buffer_size - n)", "r->buffer_size - n - 1)"},
	{"reps.c", "ultra ? 64 : 65536", "ultra ? 65 : 65536"},
	{"reps.c", "ultra ? 16 : 100", "ultra ? 17 : 100"},
	{"reps.c", "10000000,", "1000000,"},
	{"reps.c", "65536, 0x7fffffff, 65535", "65535, 0x7fffffff, 65535"},
	{"reps.c", "65536, 0x7fffffff, 65535", "65536, 0x80000000, 65535"},
	{"reps.c", "paper ? 16 : 1", "paper ? 15 : 1"},
	{"reps.c", "paper ? 2 : c[EXIT]", "paper ? 3 : c[EXIT]"},
	{"reps.c", "c[EXIT] == REPS_EXIT_ON_PROBE ? 0 : 3", "3"},
	{"reps.c", "ultra ? 3 : 1", "1"},
	{"reps.c", "ultra ? 3 : 1", "ultra ? 3 : 0"},
	{"reps.c", "c[DISABLE] ? 0 : 2", "2"},
	{"reps.c", "c[WINDOW] > 255 ? 255", "c[WINDOW] > 256 ? 256"},
	{"reps.c", "- 1) < 0x7fffffff", "- 1) <= 0x7fffffff"},
	{"reps.c", "r->exit_time_ns - 1)", "r->exit_time_ns)"},
	{"reps.c", "if (r->artifact)\n", "if (!r->artifact)\n"},
	{"reps.c", "r->explore = r->packets_per_window", "r->explore = 0"},
	{"reps.c", "r->freeze_cache != REPS_CACHE_NEW)", "r->freeze_cache == REPS_CACHE_ALL)"},
	{"reps.c", "r->written < r->buffer_size;", "r->written <= r->buffer_size;"},
	{"reps.c", "return i == r->written;", "return i != r->written;"},
	{"reps.c", "r->valid < r->buffer_size)", "r->valid <= r->buffer_size)"},
	{"reps.c", "else if (r->buffer_size > 0)\n\t\tr->uses = 0;", "else if (r->buffer_size > 0)\n\t\t;"},
	{"reps.c", "if (r->head == r->written)\n", "if (r->head >= r->written)\n\t\tr->written = 1;\n\telse if (r->head == r->written)\n"},
	{"reps.c", "if (!marked && takes", "if (takes"},
	{"reps.c", "!marked && r->exit", "r->exit"},
	{"reps.c", "r->artifact && due(r, now_ns)); }", "due(r, now_ns)); }"},
	{"reps.c", "r->exit == REPS_EXIT_ON_FEEDBACK && due", "r->artifact && due"},
	{"reps.c", " || r->explore > 0)", ")"},
	{"reps.c", "r->disable_freezing || r->frozen ||", "r->disable_freezing ||"},
	{"reps.c", "now_ns + r->freezing_timeout_ns", "now_ns - r->freezing_timeout_ns"},
	{"reps.c", "r->frozen && r->exit == REPS_EXIT_ON_PROBE", "r->frozen"},
	{"reps.c", "if (r->artifact || (r->frozen", "if ((r->frozen"},
	{"reps.c", "|| !due(r, now_ns))", "|| due(r, now_ns))"},
	{"reps.c", "r->explore = r->valid = 0", "r->valid = 0"},
	{"reps.c", "r->pointer = r->explore = r->frozen", "r->explore = r->frozen"},
	{"reps.c", "--r->explore % r->buffer_size == 0 || r->artifact", "--r->explore % r->buffer_size == 0"},
	{"reps.c", "--r->explore % r->buffer_size", "r->explore-- % r->buffer_size"},
	{"reps.c", "(r->valid == 0 && !reading)", "r->valid == 0"},
	{"reps.c", "if (reading && r->artifact)", "if (reading)"},
	{"reps.c", "r->pointer = next(slot, r->written)", "r->pointer = next(slot, r->buffer_size)"},
	{"reps.c", "r->uses + 1 < r->reuse_count", "r->uses + 1 <= r->reuse_count"},
	{"reps.c", "before_head(r, r->valid)", "before_head(r, 1)"},
	{"reps.c", "r->head < r->written ? r->head : 0", "r->head <= r->written ? r->head : 0"},
	{"reps.c", "r->head = next(slot, r->buffer_size)", "r->head = next(slot, r->written)"},
	{"reps.c", "n < 8 ? 3", "n < 9 ? 3"},
	{"reps.c", "r->reuse_count > 1 ? 4", "r->reuse_count > 2 ? 4"},
	{"reps.c", "i < r->written ? r->ring[i] : 0", "r->ring[i]"},
	{"reps.c", "r->buffer_size > 32 ?", "r->buffer_size > 31 ?"},
	{"reps.c", "return r->artifact || r->buffer_size < 1", "return r->buffer_size < 1"},
	{"reps.c", "&& r->head <= r->written &&", "&&"},
	{"reps.c", "r->written % n == 0)", "true)"},
	{"reps.c", "r->written < n ? r->head : n;", "n;"},
	{"reps.c", "valid_bits(r) == is_valid &&", ""},
	{"reps.c", "!(r->frozen && r->disable_freezing) &&", ""},
	{"reps.c", "r->disable_freezing || r->frozen ? 0", "r->disable_freezing ? 0"},
	{"reps.c", "r->uses < r->reuse_count &&", ""},
	{"reps.c", "(r->uses == 0 || r->valid > 0)", "true"},
	{"reps.c", "zeros |= get(data, &at, (uint32_t)", "get(data, &at, (uint32_t)"},
	{"reps.c", "zeros |= get(data, &at, 16);", "get(data, &at, 16);"},

	{"mrc.c", "r != 1 ? 0", "r == 0 ? 0"},
	{"mrc.c", "t < 0 ? t +", "t > 0 ? t +"},
	{"mrc.c", "state(p, p->end) <= MRC_SKIP", "state(p, p->end) < MRC_SKIP"},
	{"mrc.c", "p->active < m->active; p->end++", "p->active <= m->active; p->end++"},
	{"mrc.c", "active <= largest / 2", "active < largest / 2"},
	{"mrc.c", "(planes * active + 3) / 4", "(planes * active + 4) / 4"},
	{"mrc.c", "c[SET] < c[ACTIVE] &&", "c[SET] <= c[ACTIVE] &&"},
	{"mrc.c", "1 + below(", "0 + below("},
	{"mrc.c", "tries < 256", "tries < 257"},
	{"mrc.c", "== 0 ? 1 : stride", "== 0 ? 0 : stride"},
	{"mrc.c", "size > room", "size >= room"},
	{"mrc.c", "k >= p->end ||", "k > p->end ||"},
	{"mrc.c", "may_reset = !m->skip_one", "may_reset = true"},
	{"mrc.c", "|| p->active == 0)", ")"},
	{"mrc.c", "ev.value >= m->values)", "false)"},
	{"mrc.c", "*k < m->set ?", "*k <= m->set ?"},
	{"mrc.c", "(before ^ after) > MRC_SKIP", "(before ^ after) > MRC_ASSUMED_BAD"},
	{"mrc.c", "mrc_on_ack(m, ev, !last_hop)", "mrc_on_ack(m, ev, last_hop)"},
	{"mrc.c", "if (before > MRC_SKIP)", "if (before > MRC_ASSUMED_BAD)"},
	{"mrc.c", "active < m->min_active", "active <= m->min_active"},
	{"mrc.c", "own & peer", "(own | peer)"},
	{"mrc.c", "denied ? mrc_state(m, ev) : MRC_DENIED", "mrc_state(m, ev)"},
	{"mrc.c", "if (m->plane == 0)", "if (m->plane != 0)"},
	{"mrc.c", "++m->replies < m->probe_replies", "++m->replies <= m->probe_replies"},
	{"mrc.c", "marked ? MRC_SKIP : MRC_GOOD);\n\tprobe_next", "marked ? MRC_GOOD : MRC_SKIP);\n\tprobe_next"},
	{"mrc.c", "if (tests(m, ev))", "if (true)"},
	{"mrc.c", "p->position % m->set", "p->position"},
	{"mrc.c", "data[5] < m->probe_replies", "data[5] <= m->probe_replies"},
	{"mrc.c", "start < m->values &&", ""},
	{"mrc.c", "invert(stride, m->values) > 0 &&", ""},
}

// cc runs gcc in a folder.
func cc(t *testing.T, dir string, arguments ...string) {
	t.Helper()
	cmd := exec.Command(gcc(t), append([]string{"-std=c99"}, arguments...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// link links the compiled C code in a folder with the object of a test program.
func link(t *testing.T, dir, name, object string) string {
	t.Helper()
	cc(t, dir, "-o", name, object, "reps.o", "mrc.o")
	return filepath.Join(dir, name)
}

// objects compiles the test programs and returns their objects.
func objects(t *testing.T) map[string]string {
	t.Helper()
	paths := map[string]string{}
	for _, name := range []string{"vectors", "calls"} {
		paths[name] = filepath.Join(t.TempDir(), name+".o")
		cc(t, ".", "-O1", "-c", "-o", paths[name], source("test/"+name+".c"))
	}
	return paths
}

// mutate copies the C code into a folder of its own, with an edit of a file, and returns the folder.
func mutate(t *testing.T, file, before, after string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"reps.c", "reps.h", "mrc.c", "mrc.h", "reps_common.h"} {
		text, err := os.ReadFile(source(name))
		if err != nil {
			t.Fatal(err)
		}
		if name == file {
			if n := bytes.Count(text, []byte(before)); n != 1 {
				t.Fatalf("%s has %q %d times, want once", file, before, n)
			}
			text = bytes.Replace(text, []byte(before), []byte(after), 1)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestMutants: the vectors and the random calls find each mutant, and nothing in the C code itself. It needs
// REPSLAB_LONG=1.
func TestMutants(t *testing.T) {
	if os.Getenv("REPSLAB_LONG") == "" {
		t.Skip("needs REPSLAB_LONG=1: compiles the C code once for each mutant")
	}
	const blocks, calls = 400, 500
	object, vectors := objects(t), repsVectors(t)
	want := map[string][]byte{}
	for name, kind := range kinds {
		want[name] = digests(kind, 1, blocks, calls)
	}
	found := func(t *testing.T, file, before, after string) string {
		t.Helper()
		dir := mutate(t, file, before, after)
		cc(t, dir, "-c", "reps.c", "mrc.c")
		if _, err := run(link(t, dir, "vectors", object["vectors"]), vectors, mrcVectors); err != nil {
			return "vectors"
		}
		program := link(t, dir, "calls", object["calls"])
		for name, digests := range want {
			if out, err := run(program, name, "1", fmt.Sprint(blocks), fmt.Sprint(calls)); err != nil || !bytes.Equal(out, digests) {
				return "calls"
			}
		}
		return ""
	}
	if by := found(t, "", "", ""); by != "" {
		t.Fatalf("the %s find a mistake in the C code itself", by)
	}
	for _, m := range mutants {
		t.Run(m.file+" "+strings.Join(strings.Fields(m.before), " "), func(t *testing.T) {
			t.Parallel()
			if by := found(t, m.file, m.before, m.after); by == "" {
				t.Error("survives")
			} else {
				t.Logf("found by the %s", by)
			}
		})
	}
}
