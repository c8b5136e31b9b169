package crosscheck

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// allowed is the import table: the packages of this module that each package may
// import, tests included. Theory never imports the
// network nor the other way round; they meet in internal/figures, cmd and the tests
// of this package.
var allowed = map[string][]string{
	".":                   {},
	"reps":                {"faults", "internal/vectors"}, // vectors its tests
	"faults":              {},
	"mrc":                 {"faults"},
	"ballsbins":           {"internal/checks", "faults", "internal/elementary", "internal/must", "mc", "internal/mctest", "internal/bins", "internal/draw"},
	"recycled":            {"internal/checks", "faults", "internal/elementary", "internal/bins", "internal/must", "mc", "internal/mctest", "internal/propertytest", "ballsbins", "internal/evset"},
	"proofs":              {"faults", "internal/elementary", "mc", "recycled"},
	"coalescing":          {"internal/checks", "faults", "internal/bins", "internal/must", "mc", "internal/mctest", "internal/propertytest", "recycled"},
	"internal/checks":     {"faults"},
	"internal/elementary": {},
	"internal/bins":       {"internal/propertytest"},
	"evsimbalance":        {"internal/checks", "faults", "internal/elementary", "internal/must", "mc", "internal/mctest", "internal/propertytest", "internal/ecmphash"},
	"internal/evset":      {"mc", "internal/mctest", "internal/propertytest"},
	"internal/ecmphash":   {},
	"fattree":             {"faults", "internal/bitset", "internal/elementary", "mc", "internal/ecmphash", "fattree/balance", "fattree/congestion", "fattree/experiment", "fattree/schedule", "fattree/topology", "fattree/traffic", "fattree/transport", "internal/nettest", "internal/recordtest"}, // the latter eight its tests, to run the network
	"fattree/transport":   {"faults", "fattree", "fattree/balance", "fattree/congestion", "fattree/topology", "internal/bitset", "internal/endpoint", "internal/heap", "internal/mctest", "internal/nettest", "internal/recordtest", "internal/wrapped", "mc", "reps"},                               // but fattree, bitset, endpoint, heap, wrapped and mc its tests
	"internal/bitset":     {},
	"internal/endpoint":   {"fattree", "fattree/topology", "internal/bitset", "internal/nettest"}, // but fattree and bitset its tests
	"internal/wrapped":    {},
	"internal/recordtest": {},                                                                                                                                                                                                                                            // only tests import it
	"internal/nettest":    {"fattree", "fattree/topology"},                                                                                                                                                                                                               // only tests import it
	"fattree/topology":    {"faults", "fattree", "fattree/transport", "fattree/balance", "fattree/congestion", "mc", "internal/times"},                                                                                                                                   // balance and congestion its tests, to run the network
	"fattree/experiment":  {"faults", "fattree", "fattree/multipath", "fattree/schedule", "internal/flight", "fattree/transport", "fattree/balance", "fattree/congestion", "fattree/topology", "fattree/traffic", "internal/wrapped", "mc"},                              // its tests run the network
	"fattree/balance":     {"faults", "fattree", "fattree/transport", "fattree/congestion", "fattree/experiment", "fattree/topology", "fattree/traffic", "mc", "internal/mctest", "mrc", "reps", "internal/evset"},                                                       // all but fattree, mc, mrc and reps its tests
	"fattree/congestion":  {"faults", "fattree", "fattree/transport", "fattree/balance", "fattree/topology", "fattree/traffic", "mc"},                                                                                                                                    // its tests run the network
	"fattree/multipath":   {"faults", "fattree", "fattree/transport", "fattree/balance", "fattree/congestion", "fattree/topology", "fattree/traffic", "internal/bitset", "internal/endpoint", "internal/mctest", "internal/nettest", "internal/recordtest", "mc", "mrc"}, // but fattree, transport, bitset, endpoint and mc its tests
	"fattree/fluid":       {"internal/checks", "faults", "fattree", "fattree/topology", "fattree/traffic", "internal/heap", "mc", "internal/mctest", "internal/ecmphash"},                                                                                                // traffic its example
	"fattree/traffic":     {"faults", "fattree", "fattree/topology", "internal/lines", "internal/lists", "mc", "internal/mctest"},
	"fattree/schedule":    {"faults", "fattree", "fattree/balance", "fattree/congestion", "fattree/multipath", "fattree/topology", "fattree/transport", "internal/heap", "internal/lines", "internal/lists", "internal/nettest"}, // but fattree, heap, lines, lists and mc its tests
	"mc":                  {"internal/checks", "faults", "internal/elementary", "internal/must", "internal/mctest", "internal/propertytest"},                                                                                     // the latter two its tests
	"internal/mctest":     {"mc"},
	"sweep":               {"internal/checks", "faults", "internal/frame", "internal/lines", "internal/seal", "internal/store", "mc", "internal/wholefile", "internal/must"},
	"internal/slurm":      {"faults"},
	"internal/times":      {},
	"internal/values":     {"internal/elementary", "internal/lists", "internal/propertytest"},
	"internal/vectors":    {"mrc", "reps"},
	"internal/ctest":      {"mrc", "reps", "internal/vectors"},
	"internal/store":      {"internal/wholefile"},
	"internal/wholefile":  {},
	"internal/runbook":    {"internal/seal", "internal/store", "internal/wholefile", "mc"},
	"internal/seal":       {},
	"internal/plot":       {"internal/lists", "internal/recordtest"},
	"internal/frame":      {"internal/lists", "mc"},
	"internal/flight":     {},
	"internal/heap":       {},
	"internal/lines":      {},
	"internal/lists":      {},
	"internal/must":       {},
	"internal/advise":     {"faults", "ballsbins", "evsimbalance", "fattree", "fattree/balance", "fattree/experiment", "fattree/topology", "fattree/transport", "internal/console", "internal/lists", "internal/cases", "internal/param", "mc", "recycled", "reps"},
	"internal/console":    {"internal/wholefile", "sweep"},
	"internal/largepages": {},
	"internal/metric":     {},
	"internal/param":      {"faults", ".", "mc", "sweep", "internal/console", "internal/frame", "internal/lines", "internal/lists", "internal/times", "internal/values"},
	"internal/cases":      {"faults", "fattree", "fattree/balance", "fattree/congestion", "fattree/experiment", "fattree/fluid", "fattree/schedule", "internal/flight", "fattree/topology", "fattree/traffic", "fattree/transport", "mrc", "reps", "ballsbins", "ballsbins/allocation", "ballsbins/leafspine", "recycled", "coalescing", "evsimbalance", "mc", "sweep", "internal/console", "internal/frame", "internal/largepages", "internal/lists", "internal/mctest", "internal/metric", "internal/param", "internal/propertytest", "internal/times", "internal/values", "internal/recordtest", "internal/rows"}, // console, mctest, propertytest and recordtest its tests
	"internal/rows":       {"sweep", "internal/console", "internal/frame", "internal/largepages", "internal/lines", "internal/lists", "internal/metric", "internal/param", "internal/runbook", "internal/values", "internal/wholefile", "mc"},
	"internal/view":       {"sweep", "fattree/balance", "mc", "internal/cases", "internal/console", "internal/frame", "internal/lists", "internal/metric", "internal/param", "internal/plot", "internal/rows", "internal/values", "internal/wholefile"},                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                // sweep, balance and cases its tests
	"cmd/repslab":         {"faults", ".", "internal/runbook", "fattree", "fattree/balance", "fattree/congestion", "fattree/experiment", "fattree/fluid", "fattree/schedule", "fattree/topology", "fattree/traffic", "fattree/transport", "mrc", "reps", "ballsbins", "ballsbins/allocation", "recycled", "coalescing", "evsimbalance", "proofs", "mc", "sweep", "internal/advise", "internal/frame", "internal/console", "internal/figures", "internal/figures/engine", "internal/claims", "internal/largepages", "internal/lines", "internal/lists", "internal/metric", "internal/cases", "internal/param", "internal/plot", "internal/propertytest", "internal/rows", "internal/seal", "internal/slurm", "internal/values", "internal/vectors", "internal/web/live", "internal/web/player", "internal/web/reportpage", "internal/web/scene", "internal/wholefile", "internal/view"}, // propertytest and scene its tests

	"ballsbins/leafspine":  {"ballsbins", "faults", "internal/checks", "internal/must", "mc"},
	"ballsbins/allocation": {"internal/checks", "faults", "internal/draw", "internal/elementary", "internal/must", "mc", "internal/mctest"},
	"internal/supermarket": {"faults", "internal/elementary", "internal/must", "mc", "internal/mctest"},
	"internal/draw":        {"mc", "internal/mctest"},

	"internal/claims":         {"faults", "mc", "internal/lists", "internal/frame", "internal/values", "internal/wholefile", "internal/rows"},
	"internal/figures":        {"internal/checks", "internal/runbook", "fattree", "fattree/balance", "fattree/congestion", "fattree/experiment", "fattree/fluid", "fattree/schedule", "fattree/topology", "fattree/traffic", "fattree/transport", "mrc", "reps", "ballsbins", "ballsbins/allocation", "ballsbins/leafspine", "internal/supermarket", "recycled", "coalescing", "evsimbalance", "proofs", "mc", "internal/frame", "internal/lists", "internal/mctest", "internal/metric", "internal/plot", "internal/claims", "internal/rows", "internal/figures/engine"}, // mctest and metric its tests
	"internal/figures/engine": {"faults", "internal/runbook", "mc", "internal/frame", "internal/lists", "internal/plot", "internal/claims", "internal/wholefile", "internal/rows"},

	"internal/crosscheck": {"faults", "reps", "mrc", "ballsbins", "recycled", "mc", "internal/mctest", "internal/nettest", "internal/flight", "internal/ecmphash", "internal/elementary", "fattree", "fattree/balance", "fattree/congestion", "fattree/experiment", "fattree/fluid", "fattree/topology", "fattree/traffic", "fattree/transport", "fattree/schedule", "internal/view", "sweep", "ballsbins/allocation", "ballsbins/leafspine", "internal/supermarket", "coalescing", "evsimbalance", "proofs", "fattree/multipath"},

	"internal/propertytest": {}, // only tests import it

	"internal/web/scene":      {"ballsbins", "coalescing", "fattree", "fattree/balance", "fattree/congestion", "fattree/topology", "fattree/traffic", "fattree/transport", "internal/lists", "internal/propertytest", "recycled", "mc"},
	"internal/web/live":       {"internal/wholefile"}, // the kernels it compiles exist for js/wasm only
	"internal/web/player":     {"internal/lines", "internal/lists", "internal/web/policy"},
	"internal/web/policy":     {},
	"internal/web/reportpage": {"proofs", "internal/claims", "internal/figures", "internal/figures/engine", "internal/lists", "internal/plot", "internal/frame", "internal/web/policy", "internal/wholefile", "internal/rows"}, // figures its tests,
}

// owners names the only packages that may import a library.
var owners = map[string][]string{
	"github.com/olekukonko/tablewriter": {"internal/rows"},
	"gonum.org/v1/plot":                 {"internal/plot"},
	"codeberg.org/go-pdf/fpdf":          {"internal/plot"},
	"codeberg.org/go-fonts/liberation":  {"internal/plot"},
	"golang.org/x/image":                {"internal/plot"},
	"golang.org/x/exp":                  {"mc"},
	"github.com/spf13/cobra":            {"cmd/repslab"},
}

// standardOnly names the packages that, without their tests, may import only the standard
// library.
var standardOnly = []string{"faults", "internal/times", "reps", "mrc", "internal/bitset", "internal/ecmphash", "internal/heap", "internal/lines", "internal/lists", "internal/must", "internal/bins", "internal/seal", "internal/slurm", "internal/store", "internal/values", "internal/wholefile"}

// goPackage is a package as go list describes it.
type goPackage struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

// listPackages returns the packages of the module.
func listPackages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var packages []goPackage
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// module is the path of this module: repslab, or another one in a fork.
var module = strings.TrimSuffix(reflect.TypeFor[goPackage]().PkgPath(), "/internal/crosscheck")

// within returns the path of a package below the module, or false for others.
func within(path string) (string, bool) {
	if path == module {
		return ".", true
	}
	return strings.CutPrefix(path, module+"/")
}

func TestImportTable(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range listPackages(t) {
		name, _ := within(p.ImportPath)
		may, known := allowed[name]
		if !known {
			t.Errorf("%s has no row in the import table", name)
			continue
		}
		seen[name] = true
		for _, path := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if ours, ok := within(path); ok && ours != name && !slices.Contains(may, ours) {
				t.Errorf("%s imports %s, but may only import %v", name, ours, may)
			}
			for library, who := range owners {
				if (path == library || strings.HasPrefix(path, library+"/")) && !slices.Contains(who, name) {
					t.Errorf("%s imports %s, but only %v may", name, path, who)
				}
			}
		}
		for _, path := range p.Imports {
			if _, ours := within(path); !ours && slices.Contains(standardOnly, name) && strings.Contains(strings.SplitN(path, "/", 2)[0], ".") {
				t.Errorf("%s imports %s, but may only import the standard library", name, path)
			}
		}
	}
	for name := range allowed {
		if !seen[name] {
			t.Errorf("the import table has a row for %s, but there is no such package", name)
		}
	}
}
