package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// refusal is a command line that must be refused, and what the error must say:
// flag, value and what is allowed.
type refusal struct {
	args string
	want []string
}

// checkRefused runs command lines in a folder that holds one file, "file", with a
// text. Each must end with code 2 and one line on the standard error; nothing is
// printed on the standard output and nothing written.
func checkRefused(t *testing.T, file, text string, refusals []refusal) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range refusals {
		t.Run(c.args, func(t *testing.T) {
			o := repslab(t, strings.Fields(c.args)...)
			if o.code != exitUsage || o.stdout != "" || strings.Count(o.stderr, "\n") != 1 || !strings.HasPrefix(o.stderr, "repslab: error: ") {
				t.Errorf("code %d, stdout %q, stderr %q; want code 2 and one line of error", o.code, o.stdout, o.stderr)
			}
			for _, want := range c.want {
				if !strings.Contains(o.stderr, want) {
					t.Errorf("stderr %q, want it to contain %q", o.stderr, want)
				}
			}
		})
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) != 1 || string(fileBytes(t, file)) != text {
		t.Errorf("files were written or changed: %v, error %v", entries, err)
	}
}

// TestUsageErrors: no such command, no such flag.
func TestUsageErrors(t *testing.T) {
	checkRefused(t, "file", "", []refusal{
		{"help nosuch", []string{`"nosuch"`, "ballsbins"}},
		{"simulate", []string{`"simulate"`, "ballsbins", "coalescing", "evs", "recycled", "reproduce"}},
		{"--verbose", []string{"--verbose"}},
	})
}

// TestUsageErrorsOfOutputs: no output replaces an input or another output, and an empty path, most likely
// an unset variable, is not the standard output.
func TestUsageErrorsOfOutputs(t *testing.T) {
	t.Run("regular", func(t *testing.T) {
		flows := "fattree --hosts 4 --flows flows.cm "
		checkRefused(t, "flows.cm", "Nodes 4\nConnections 1\n0->1 id 1 start 0 size 1000\n", []refusal{
			{flows + "-o flows.cm", []string{`-o: "flows.cm" must not be a file that is read`}},
			{flows + "--flows-out ./flows.cm", []string{`--flows-out: "./flows.cm" must not be a file that is read`}},
			{flows + "--trace flows.cm", []string{`--trace: "flows.cm" must not be a file that is read`}},
			{flows + "--flows-out x.csv --trace ./x.csv", []string{`--trace: "./x.csv" must not be the file of --flows-out`}},
			{flows + "-o x.csv --trace x.csv", []string{`--trace: "x.csv" must not be the file of --output`}},
			{flows + "--flows-out=", []string{`--flows-out: "" must have a value`}},
			{"recycled --bins 8 --output=", []string{`--output: "" must have a value`}},
			{"show flows.cm --output=", []string{`--output: "" must have a value`}},
			{"plot flows.cm --x bins --y rounds_mean --by= -o p.pdf", []string{`--by: "" must have a value`}},
			{"advise --output=", []string{`--output: "" must have a value`}},
			{flows + "--pool=", []string{`--pool: "" must have a value`}},
			{"recycled --bins 8 --zip=", []string{`--zip: "" must have a value`}},
			{"schedule training --nics 0", []string{"--nics: 0 must be in [1, "}},
			{"schedule alltoall --ranks 1", []string{"--ranks (1) must be in [2, ", "--parallel (4) must be in [1, 1]"}},
		})
	})
	t.Run("protected", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "x.csv")
		if err := os.WriteFile(path, nil, 0o444); err != nil {
			t.Fatal(err)
		}
		checkRefused(t, "r.jsonl", "", []refusal{
			{"recycled --bins 8 --format csv -o " + path, []string{"-o", "x.csv", "must not be write-protected"}},
			{"vectors -o " + path, []string{"-o", "x.csv", "must not be write-protected"}},
			{"sweep recycled --bins 8 --replicas 3 --resume -o " + path, []string{"-o", "x.csv", "must not be write-protected"}},
		})
	})
	if o := repslab(t, strings.Fields("fattree --hosts 4 -o /dev/null --flows-out /dev/null --trace /dev/null")...); o.code != exitDone {
		t.Errorf("a device for several outputs: %+v", o)
	}
}

func TestUsageErrorsOfLeafspine(t *testing.T) {
	checkRefused(t, "file", "", []refusal{
		{"leafspine --from 9 --packets 8", []string{"--from (9) must be at most --packets (8)"}},
		{"leafspine --ports 6 --traffic alternating", []string{"--ports (6) must be a multiple of 4 for alternating traffic"}},
		{"leafspine --rule best", []string{"--rule", `"best"`, "14 names", "static-best"}},
		{"leafspine --packets 2000000", []string{"--packets", "[1, 1048576]"}},
	})
}

func TestUsageErrorsOfAllocate(t *testing.T) {
	checkRefused(t, "file", "", []refusal{
		{"allocate --bins 0", []string{"--bins", "0", "[1, 16777216]"}},
		{"allocate --rule best", []string{"--rule", `"best"`, "one-choice, two-choice, d-choice"}},
		{"allocate --rule token", []string{`--information ("current") must be batched`, "tokens"}},
		{"allocate --rule memory --information g-bounded", []string{"--information", "comparison of two samples"}},
		{"allocate --rule one-plus-beta --beta 1.5", []string{"--beta", "1.5", "[0, 1]"}},
		{"allocate --rule quantile --delta 0", []string{"--delta", "0", "(0, 1]"}},
		{"allocate --information stale", []string{"--information", `"stale"`, "current, batched"}},
		{"allocate --information sigma-formal --sigma -1", []string{"--sigma", "-1", "[0, 65536]"}},
		{"allocate --sampling half", []string{"--sampling", `"half"`, "half:A"}},
		{"allocate --sampling half:2", []string{"--sampling (half:2) must have numbers in [0, 1]"}},
		{"allocate --weights given:0", []string{"--weights (given:0) must list sizes in [1, 1048576]"}},
		{"allocate --weights heavy", []string{"--weights", `"heavy"`, "given:SIZE"}},
		{"allocate --start 1:x", []string{"--start", `"1:x"`, "5:1:2"}},
		{"allocate --bins 2 --start 1:2:3", []string{"--start (3) must list at most Bins=2 loads"}},
		{"allocate --balls 1000000 --every 1", []string{"--every (1) must be at least 10", "--balls 1000000"}},
		{"allocate --bins 16777216 --balls 2000000000", []string{"--balls (2000000000) and Start must be below 67108864 balls"}},
		{"allocate --rounds 5", []string{"--rounds", "--rule", "--balls"}},
	})
}

func TestUsageErrorsOfServe(t *testing.T) {
	checkRefused(t, "file", "", []refusal{
		{"serve --addr 0.0.0.0:0", []string{"--addr", `"0.0.0.0:0"`, "loopback", "--allow-remote"}},
		{"serve --addr :8080", []string{"--addr", `":8080"`, "loopback", "--allow-remote"}},
		{"serve --addr 8080", []string{"--addr", `"8080"`, "HOST:PORT"}},
		{"serve --addr 127.0.0.1:99999 --allow-remote", []string{"--addr", `"127.0.0.1:99999"`, "HOST:PORT"}},
		{"serve --export=", []string{"--export", `""`, "must have a value"}},
		{"serve --export site --addr 127.0.0.1:0", []string{"--export", "--addr", "exclude"}},
		{"serve now", []string{`"now"`, "no argument"}},
	})
}

func TestUsageErrorsOfRecycled(t *testing.T) {
	checkRefused(t, "file", "", []refusal{
		{"recycled --bins 0", []string{"--bins", "0", "[1, 1048576]"}},
		{"recycled --bins 16..", []string{"--bins", `"16.."`, "a range needs two ends"}},
		{"recycled --bins", []string{"--bins", "output ports"}},
		{"recycled --quiet=maybe", []string{"--quiet", `"maybe"`, "true or false"}},
		{"recycled --threshold=", []string{"--threshold", `""`}},
		{"recycled --precision=", []string{"--precision", `""`}},
		{"recycled -o none/rows.csv", []string{"-o", `"none/rows.csv"`, "existing directory"}},
		{"recycled --threshold foo(n)", []string{"--threshold", "foo", "ln, log2 or sqrt"}},
		{"recycled --threshold n-40", []string{"--threshold", "n-40", "[0, 1073741824]"}},
		{"recycled --bins 1048576 --colors-per-bin 1000", []string{"--colors-per-bin", "1000", "[1, 64]"}},
		{"recycled --bins 1048576 --delay 1000 --clocking per-flow", []string{"--delay", "1000", "[0, 63]"}},
		{"recycled --clocking fast", []string{"--clocking", `"fast"`, "self-clocked, round-robin, per-flow"}},
		{"recycled --lambda 0", []string{"--lambda", "0", "(0, 1]"}},
		{"recycled --max-rounds 0", []string{"--max-rounds", "0", "[1, 2147483647]"}},
		{"recycled --replicas 0", []string{"--replicas", "0", "[1, 268435456]"}},
		{"recycled --replicas 1,2", []string{"--replicas", `"1,2"`, "one"}},
		{"recycled --precision 2", []string{"--precision", "2", "(0, 1)"}},
		{"recycled --seed -1", []string{"--seed", `"-1"`, "[0, 18446744073709551615]"}},
		{"recycled --workers x", []string{"--workers", `"x"`, "[0, 4096]"}},
		{"recycled --format yaml", []string{"--format", `"yaml"`, "table"}},
		{"recycled --speed 3", []string{"--speed", "--bins", "--threshold"}},
		{"recycled 16", []string{"recycled", `"16"`, "no argument"}},
		{"recycled -o .", []string{"-o", `"."`, "directory"}},
	})
}

func TestUsageErrorsOfBallsbins(t *testing.T) {
	checkRefused(t, "file", "", []refusal{
		{"ballsbins --lambda 1.5", []string{"--lambda", "1.5", "(0, 1]"}},
		{"ballsbins --lambda NaN", []string{"--lambda", `"NaN"`, "(0, 1]"}},
		{"ballsbins --bins 1..2000000", []string{"--bins", `"1..2000000"`, "1000000"}},
		{"ballsbins --bins 1..2000 --rounds 1..2000", []string{"1000000", "combinations"}},
		{"ballsbins --rounds 2000000000 --every 1", []string{"--every (1) must be at least 20000", "--rounds 2000000000", "100001"}},
		{"ballsbins --every 0", []string{"--every", "0", "[1, 2147483647]"}},
		{"ballsbins --policy uniform", []string{"unknown flag --policy", "did you mean --rule?"}},
		{"ballsbins --rule best", []string{"--rule", `"best"`, "uniform, two-choice, round-robin, static"}},
		{"ballsbins --variant weighted --lambda 1e-12", []string{"--lambda", "1e-12"}},
	})
}

func TestUsageErrorsOfEVS(t *testing.T) {
	checkRefused(t, "file", "", []refusal{
		{"evs --flows 0", []string{"--flows", "0", "[1, 65536]"}},
		{"evs --evs 16777217", []string{"--evs", "16777217", "[1, 16777216]"}},
		{"evs --evs 16777216 --flows 300", []string{"--evs (16777216)", "[1, 3579139]", "flows=300", "method=exact"}},
		{"evs --evs 4194304 --uplinks 8", []string{"--evs (4194304)", "[1, 2097152]", "uplinks=8"}},
		{"evs --evs 65537 --method hash", []string{"--evs (65537)", "[1, 65536]", "method=hash"}},
		{"evs --evs 131072 --method crc32", []string{"--evs (131072)", "[1, 65536]", "method=crc32"}},
		{"evs --uplinks 4097", []string{"--uplinks", "4097", "[1, 4096]"}},
		{"evs --method sha", []string{"--method", `"sha"`, "exact, multinomial, hash, crc32"}},
	})
}

func TestUsageErrorsOfCoalescing(t *testing.T) {
	checkRefused(t, "file", "", []refusal{
		{"coalescing --bins 0", []string{"--bins", "0", "[1, 1048576]"}},
		{"coalescing --ack-ratio 0", []string{"--ack-ratio", "0", "[1, 65536]"}},
		{"coalescing --ack-ratio 1000 --bins 1048576 --ack-variant carry", []string{"--ack-ratio", "1000", "[1, 128]"}},
		{"coalescing --ack-variant some", []string{"--ack-variant", `"some"`, "standard, carry, reuse, every-rth-round"}},
		{"coalescing --clocking fast", []string{"--clocking", `"fast"`, "self-clocked, round-robin, per-flow"}},
		{"coalescing --clocking self-clocked", []string{"--clocking", "self-clocked", "[round-robin per-flow] under standard"}},
		{"coalescing --clocking per-flow --ack-variant every-rth-round", []string{"--clocking", "per-flow", "[self-clocked] under every-rth-round"}},
		{"coalescing --threshold n-40", []string{"--threshold", "n-40", "[1, 1073741824]"}},
		{"coalescing --bins 1048576 --colors-per-bin 1000", []string{"--colors-per-bin", "1000", "[1, 64]"}},
		{"coalescing --rounds 0", []string{"--rounds", "0", "[1, 2147483647]"}},
		{"coalescing --max-rounds 5", []string{"--max-rounds", "--ack-ratio", "--rounds"}},
	})
}

func TestUsageErrorsOfReproduce(t *testing.T) {
	checkRefused(t, "file", "", []refusal{
		{"reproduce fig99", []string{`"fig99"`, "fig02"}},
		{"reproduce --fresh --record", []string{"--fresh", "--record"}},
		{"reproduce --shard 1/2", []string{"--shard", "--fresh"}},
		{"reproduce --fresh --shard 3/2", []string{"--shard", `"3/2"`, "1 <= i <= N"}},
		{"reproduce --check -1", []string{"--check", "-1", "at least 0"}},
		{"reproduce --check 2 --fresh", []string{"--check 2", "--fresh"}},
		{"reproduce --check 2 --seed 2", []string{"--check 2", "--seed"}},
		{"reproduce --record --seed 2", []string{"--record", "--seed 1", "not 2"}},
		{"reproduce --record", []string{"--record", "results/README.md"}},
		{"reproduce --style fancy", []string{"--style", `"fancy"`, "acm", "slides"}},
		{"reproduce -o file", []string{"-o", `"file"`, "directory"}},
		{"reproduce -o file/x", []string{"-o", `"file/x"`, "directory"}},
		{"reproduce --seed 1e3", []string{"--seed", `"1e3"`}},
	})
}

func TestUsageErrorsOfProve(t *testing.T) {
	checkRefused(t, "file", "", []refusal{
		{"prove --step Z9", []string{"--step", `("Z9")`, "T1", "S9"}},
		{"prove --explain C", []string{"--explain", `("C")`, "C16"}},
		{"prove --step E1 --explain E1", []string{"--step", "--explain", "exclude"}},
		{"prove --bins 15", []string{"--bins", "15", "[16, 1048576]"}},
		{"prove --bins=", []string{"--bins"}},
		{"prove --format yaml", []string{"--format", `"yaml"`, "markdown"}},
		{"prove -o none/proof.md", []string{"-o", `"none/proof.md"`}},
		{"prove --seed 2", []string{"--seed", "--bins", "--explain"}},
	})
}

func TestUsageErrorsOfVectors(t *testing.T) {
	checkRefused(t, "file", "", []refusal{
		{"vectors -o none/vectors.jsonl", []string{"-o", `"none/vectors.jsonl"`}},
		{"vectors -o file/vectors.jsonl", []string{"-o", `"file/vectors.jsonl"`}},
		{"vectors reps", []string{`"reps"`, "no argument"}},
		{"vectors --seed 2", []string{"--seed", "--output", "--force"}},
	})
}

// TestUsageErrorsOfSweep: of sweeps, and of what reads their files.
func TestUsageErrorsOfSweep(t *testing.T) {
	checkRefused(t, "notes.txt", "mine\n", []refusal{
		{"sweep", []string{"sweep needs a MODEL or --config"}},
		{"sweep golf", []string{`model "golf" must be one of ballsbins, recycled, coalescing, evs`}},
		{"sweep recycled", []string{"-o must name the result file"}},
		{"sweep recycled --replicas 0 -o x", []string{"--replicas"}},
		{"sweep recycled --replicas= -o x", []string{"--replicas"}},
		{"sweep recycled --precision 0.1 --replicas 5 -o x", []string{"exclude each other"}},
		{"sweep recycled --max-replicas 5 -o x", []string{"must go with --precision"}},
		{"sweep recycled --precision 0.1 --shard 1/2 -o x", []string{"Precision (0.1) must be 0"}},
		{"sweep recycled --shard 3/2 -o x", []string{`--shard: "3/2" must be i/N`}},
		{"sweep recycled --shard slurm -o x", []string{"SLURM_ARRAY_TASK_ID"}},
		{"sweep recycled --block 2000 -o x", []string{"--block"}},
		{"fattree --queue 50,100 --kmin 10,20,30 --tie queue,kmin", []string{"--queue has 2 values and --kmin has 3"}},
		{"fattree --tie queue", []string{"--zip", "must be a parameter of fattree that has a value"}},
		{"sweep recycled --zip golf -o x", []string{`"golf" must be a parameter of recycled`}},
		{"sweep recycled --bins 8,16 --delay 1..3 --zip bins,delay -o x", []string{"--bins has 2 values and --delay has 3"}},
		{"recycled --bins 8,16 --zip bins", []string{`--zip: "bins" must come with another parameter`}},
		{"recycled --bins 8,16 --zip bins,bins", []string{`--zip: "bins" must be given once`}},
		{"sweep recycled -o none/x", []string{"existing directory"}},
		{"sweep recycled -o notes.txt", []string{"exists"}},
		{"sweep recycled -o notes.txt --resume", []string{"is not a result file of a sweep"}},
		{"sweep recycled --print-script", []string{"-o must name"}},
		{"sweep recycled --print-script --shard 1/2 -o x", []string{"--shard"}},
		{"sweep recycled --print-script --precision 0.1 -o x", []string{"Precision (0.1) must be 0"}},
		{"sweep recycled --print-script --time soon -o x", []string{"--time", `"soon"`}},
		{"sweep recycled --print-script --tasks 0 -o x", []string{"--tasks"}},
		{"merge -o x", []string{"needs a FILE"}},
		{"merge notes.txt", []string{"-o must name"}},
		{"merge notes.txt -o notes.txt", []string{"is not a result file of a sweep"}},
		{"show", []string{"takes one FILE, not 0"}},
		{"show notes.txt", []string{"is not a result file of a sweep"}},
		{"compare a", []string{"takes two files, not 1"}},
	})
}

func TestUsageErrorsOfIdle(t *testing.T) {
	checkRefused(t, "bad.cm", "", []refusal{
		{"fattree --idle-us -1", []string{"--idle-us", "-1 must be", "[0, 10000000]"}},
		{"fattree --idle-us 10000001", []string{"--idle-us", "10000001 must be", "[0, 10000000]"}},
		{"fattree --idle-us NaN", []string{"--idle-us", `"NaN"`}},
		{"fattree --idle-us 5 --reps artifact", []string{"--idle-us", "no effect", "--reps paper"}},
	})
}

func TestUsageErrorsOfFattree(t *testing.T) {
	checkRefused(t, "bad.cm", "Nodes 4\nConnections 1\n0->1 id 1 start 0 size none\n", []refusal{
		{"fattree --hosts 1", []string{"--hosts", "1", "[2, 2097152]"}},
		{"fattree --hosts 100 --tiers 3", []string{"--hosts", "100", "k^3/4", "54 (18 ToRs of 3)", "128 (32 ToRs of 4)"}},
		{"fattree --hosts 2097152 --tiers 3", []string{"--hosts", "2060602 (20402 ToRs of 101)"}},
		{"fattree --hosts 17", []string{"--hosts", "17 ToRs of 1", "16 (4 ToRs of 4)", "18 (6 ToRs of 3)", "--hosts-per-tor"}},
		{"fattree --hosts-per-tor 7", []string{"--hosts-per-tor", "7", "divide Hosts (128)"}},
		{"fattree --uplinks-per-tor 1025", []string{"--uplinks-per-tor", "1025", "[1, 1024]"}},
		{"fattree --radix 7", []string{"--radix", "7", "multiple of 2"}},
		{"fattree --radix 8 --oversubscription 2", []string{"--radix", "8", "multiple of 3"}},
		{"fattree --radix 9 --hosts-per-tor 3 --tiers 3", []string{"--radix", "9", "even"}},
		{"fattree --radix 8 --hosts-per-tor 8", []string{"--radix", "8", "above the 8 ports"}},
		{"fattree --radix 8 --hosts 64", []string{"--radix", "8", "at least 16", "16 ToRs of 4 hosts"}},
		{"fattree --fabric-gbps 0", []string{"--fabric-gbps", "0", "[1, 100000]"}},
		{"fattree --tiers 4", []string{"--tiers", "4", "[2, 3]"}},
		{"fattree --oversubscription 3", []string{"--oversubscription", "3", "2.667 uplinks of 400 Gb/s for the 8 hosts"}},
		{"fattree --lb magic", []string{"--lb", `"magic"`, "ecmp, ops, plb", "reps"}},
		{"fattree --list lb,colour", []string{"--list", `"colour"`, "lb, cc"}},
		{"fattree --reps theirs", []string{"--reps", `"theirs"`, "paper, artifact, fifo"}},
		{"fattree --cc cubic", []string{"--cc", `"cubic"`, "dctcp, eqds, nscc, "}},
		{"fattree --workload web", []string{"--workload", `"web"`, "permutation"}},
		{"fattree --workload incast --degree 128", []string{"128"}},
		{"fattree --message-bytes 0", []string{"--message-bytes", "0"}},
		{"fattree --message-bytes 100GiB", []string{"--message-bytes: flow 0: bytes (107374182400) must be at most 4194304 packets"}},
		{"fattree --workload alltoall --hosts 8 --degree 8", []string{"--degree", "8", "[1, 7]"}},
		{"fattree --workload allreduce-ring --hosts 8 --degree 9", []string{"--degree", "9", "[2, 8]"}},
		{"fattree --workload allreduce-butterfly --hosts 12", []string{"--hosts", "12", "power of two"}},
		{"fattree --workload websearch --load 1.5", []string{"--load", "1.5"}},
		{"fattree --workload websearch --load 0", []string{"--load", "0"}},
		{"fattree --workload websearch --arrivals hourly", []string{"--arrivals", `"hourly"`, "paced or poisson"}},
		{"fattree --workload websearch --duration-us 90001", []string{"--duration-us", "90001", "[1, 90000]"}},
		{"fattree --failure wires=1", []string{"--failure", `"wires=1"`, "fattree --help-all has the grammar"}},
		{"fattree --failure cables=0.1%", []string{"--failure", "cables=0.1%", "0 of 128", "[1, 128]"}},
		{"fattree --failure cables=8,place=aligned", []string{"--failure", "last path of flow 0 between hosts"}},
		{"fattree --failure switches=100%", []string{"--failure", "only 7 of 8"}},
		{"fattree --sizes none.txt", []string{"--sizes", "none.txt"}},
		{"fattree --sizes bad.cm", []string{"--sizes", "bad.cm", "line 1", `"Nodes"`}},
		{"fattree --background-every 1", []string{"--background-every", "1", "[2, "}},
		{"fattree --inherit maybe", []string{"--inherit", `"maybe"`, "on, off, queue"}},
		{"fattree --evs 65537", []string{"--evs", "65537", "[1, 65536]"}},
		{"fattree --lb mptcp-subflows --evs 7", []string{"--evs", "7", "[8, 65536]"}},
		{"fattree --lb mptcp-subflows --cc nscc,eqds", []string{"--cc", "nscc", "dctcp or none"}},
		{"fattree --ack-ratio 65", []string{"--ack-ratio", "65", "[1, 64]"}},
		{"fattree --freezing maybe", []string{"--freezing", `"maybe"`, "on, off or at=TIME"}},
		{"fattree --freezing at=0", []string{"--freezing", `"at=0"`, "[1, 1000000]"}},
		{"fattree --freeze-exit soon", []string{"--freeze-exit", `"soon"`, "timeout or probe"}},
		{"fattree --freeze-exit probe --reps artifact", []string{"--freeze-exit", "probe", "must be ExitOnTimeout"}},
		{"fattree --ring 1025", []string{"--ring", "1025", "[1, 1024]"}},
		{"fattree --ring 33 --lb reps-planes --profile mrc", []string{"--ring", "33", "at most 32 in each plane"}},
		{"fattree --lb reps-exclude --profile uet", []string{"--lb", "reps-exclude", "--profile uet"}},
		{"fattree --lb oracle --planes 2", []string{"--lb", "oracle", "--planes"}},
		{"fattree --ack-routing exact", []string{"--ack-routing", "no effect", "--ev-routing exact"}},
		{"fattree --ack-variant lazy", []string{"--ack-variant", `"lazy"`, "standard, carry, reuse"}},
		{"fattree --ack-variant reuse --ack-ratio 17", []string{"--ack-ratio", "17", "[1, 16]"}},
		{"fattree --trimming maybe", []string{"--trimming", `"maybe"`, "on, off"}},
		{"fattree --trimming sleek", []string{"--trimming sleek", "--profile uet"}},
		{"fattree --queue 0", []string{"--queue", "0", "[1, 65536]"}},
		{"fattree --kmin 80 --kmax 20", []string{"--kmax", "20", "[KMin=80,"}},
		{"fattree --rto-us 1000000", []string{"--rto-us"}},
		{"fattree --flows none.cm", []string{"--flows", "none.cm"}},
		{"fattree --flows bad.cm", []string{"--flows", "bad.cm", "line 3", "none"}},
		{"fattree --lb ops,reps --flows-out x.csv --precision 0.1", []string{"--flows-out", "--precision"}},
		{"sweep fattree --flows-out x.csv --shard 1/2 -o r.jsonl", []string{"--flows-out and --trace must come without --shard"}},
		{"sweep fattree --columns colour -o r.jsonl", []string{`--columns: "colour" must be one of `, " names; the nearest are "}},
		{"fattree --trace no/x.csv", []string{`--trace: "no/x.csv"`, "directory"}},
		{"fattree --flows-out x.csv --trace no/x.csv", []string{`--trace: "no/x.csv"`, "directory"}},
	})
}
