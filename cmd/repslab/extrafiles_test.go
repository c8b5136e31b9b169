package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestExtraFilesOfSeveral: the rows of several combinations in --flows-out and --trace are the rows of each alone,
// behind the parameters that vary; a sweep writes the same, and prints the columns it is asked for.
func TestExtraFilesOfSeveral(t *testing.T) {
	t.Chdir(t.TempDir())
	const network = "fattree --hosts 8 --message-bytes 20kB --replicas 2 --failure cables=1 --lb "
	for _, command := range []string{network + "ops,reps --flows-out f.csv --trace t.csv",
		"sweep " + network + "ops,reps --flows-out fs.csv --trace ts.csv --columns lb,max_fct_us -o r.jsonl"} {
		if o := repslab(t, strings.Fields(command)...); o.code != exitDone {
			t.Fatalf("%s: %+v", command, o)
		} else if sweeps := strings.HasPrefix(command, "sweep"); sweeps && o.stdout != repslab(t, "show", "r.jsonl", "--columns", "lb,max_fct_us").stdout {
			t.Errorf("%s prints\n%s", command, o.stdout)
		}
	}
	for _, file := range []string{"f", "t"} {
		flag := map[string]string{"f": " --flows-out ", "t": " --trace "}[file]
		want := ""
		for _, lb := range []string{"ops", "reps"} {
			if o := repslab(t, strings.Fields(network+lb+flag+lb+".csv --force")...); o.code != exitDone {
				t.Fatalf("%+v", o)
			}
			head, rows, _ := strings.Cut(string(fileBytes(t, lb+".csv")), "\n")
			if want == "" {
				want = "lb,reps,last_hop_trims,freezing,freeze_us,freeze_exit,freeze_cache,ring,idle_us,share_state,explore_every," + head + "\n"
			}
			for row := range strings.Lines(rows) {
				want += map[string]string{"ops": "ops,,,,,,,,,,,", "reps": "reps,paper,lost,on,10000,timeout,all,8,0,off,0,"}[lb] + row
			}
		}
		if got := fileBytes(t, file+".csv"); string(got) != want || !bytes.Equal(got, fileBytes(t, file+"s.csv")) {
			t.Errorf("%s.csv is\n%.500s\nwant\n%.500s\nand of a sweep\n%.500s", file, got, want, fileBytes(t, file+"s.csv"))
		}
	}
}

// TestByteOrderMarks: every input may begin with one.
func TestByteOrderMarks(t *testing.T) {
	t.Chdir(t.TempDir())
	const mark = "\ufeff"
	for name, text := range map[string]string{
		"f.cm":    "Nodes 4\nConnections 1\n0->1 start 0 size 1\n",
		"n.txt":   "1\n1 2 3 100 5000 0\n",
		"n.topo":  "3 1 2\n0\n0 1 100Gbps 1us 0\n0 2 100Gbps 1us 0\n",
		"s.cdf":   "0 0\n10 1\n",
		"g.goal":  "num_ranks 2\nrank 0 {\nsend 1b to 1\n}\nrank 1 {\nrecv 1b from 0\n}\n",
		"p.hosts": "1 0\n",
		"c.json":  `{"model": "fattree", "replicas": 1, "parameters": {"hosts": 4, "message_bytes": "1kB"}}`,
		"c.csv":   "a,b\n1,NaN\n2,3\n3,NA\n",
	} {
		writeText(t, name, mark+text)
	}
	for _, command := range []string{
		"fattree --hosts 4 --replicas 1 --flows f.cm",
		"fattree --replicas 1 --flows n.txt --topology n.topo",
		"fattree --hosts 4 --replicas 1 --sizes s.cdf --duration-us 1",
		"fattree --hosts 4 --replicas 1 --schedule g.goal --placement p.hosts",
		"sweep --config c.json -o r.jsonl",
		"plot c.csv --x a --y b -o p.svg",
	} {
		if o := repslab(t, strings.Fields(command)...); o.code != exitDone {
			t.Errorf("%s: %+v", command, o)
		}
	}
}
