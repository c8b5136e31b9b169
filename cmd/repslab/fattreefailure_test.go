package main

import (
	"strings"
	"testing"
)

// TestFailuresOfPlanes: rows have the number of all that fails, transceivers and ports of network cards included, and
// do not depend on the number of workers.
func TestFailuresOfPlanes(t *testing.T) {
	command := "fattree --hosts 16 --planes 4 --message-bytes 64kB --replicas 3 --horizon-us 200 --format csv " +
		"--columns failure,failed_cables,slow_cables,flapping_cables,failed_switches,flapping_switches,lost,corrupted --failure "
	for failure, want := range map[string]string{
		"cables=1":                             "4,0,0,0,0",
		"cables=25%,plane=random":              "16,0,0,0,0",
		"cables=2,plane=3,flap=20:5":           "0,0,2,0,0",
		"ports=2;cables=1,plane=1":             "3,0,0,0,0",
		"ports=1,for=5;transceivers=1,plane=0": "4,0,1,0,0",
		"transceivers=1,plane=random,flap=9:1": "0,0,4,0,0",
		"degrade=100%:0.5,plane=0":             "0,16,0,0,0",
		"links=tor0..1:spine0..2+tor3:spine1":  "28,0,0,0,0",
		"links=tor0:spine0,plane=2,rate=0.5,for=5;links=tor0:spine0..1,for=5;links=tor0:spine0,plane=1": "1,1,8,0,0",
		"cables=2,place=tor:3,plane=0;degrade=5:0.5,place=spread":                                       "2,20,0,0,0",
		"switches=1,plane=2;switches=1,flap=9:1":                                                        "0,0,0,1,4",
		"ports=25%,place=aligned,plane=0;loss=0.1%":                                                     "4,0,0,0,0",
	} {
		one := repslab(t, append(strings.Fields(command), failure, "--workers", "1")...)
		two := repslab(t, append(strings.Fields(command), failure, "--workers", "2")...)
		_, row, _ := strings.Cut(one.stdout, "\n")
		if one.code != exitDone || !strings.Contains(row, ","+want+",") {
			t.Errorf("%s: %+v, want %s", failure, one, want)
		}
		if one.stdout != two.stdout {
			t.Errorf("%s: other rows with two workers", failure)
		}
	}
}

// TestLoss: of data packets 10 % are lost, whatever their path, and none twice.
func TestLoss(t *testing.T) {
	o := repslab(t, strings.Fields("fattree --hosts 32 --cc none --message-bytes 4MiB --failure loss=10% --format json")...)
	rows, _ := rowsOf(t, o.stdout)
	if len(rows) != 1 {
		t.Fatalf("%+v", o)
	}
	sent := rows[0]["corrupted"].(float64) + 32*1027
	// Binomial with 36,500 packets and a deviation of 57: z = 6.11 is 350, or 0.96 % of them.
	if lost := rows[0]["corrupted"].(float64) / sent; lost < 0.0904 || lost > 0.1096 {
		t.Errorf("%v of the packets are lost, want 0.1", lost)
	}
}

// TestFailuresOverlap: failures of one link at several times, of all kinds that have places, act as the worst of them
// at each time: two that overlap are one of both times, a healthier one changes nothing, and their order does not
// matter.
func TestFailuresOverlap(t *testing.T) {
	command := "fattree --hosts 16 --workload tornado --message-bytes 256kB --replicas 1 --format csv " +
		"--columns max_fct_us,mean_fct_us,lost,retransmitted,failed_cables --failure "
	for failure, same := range map[string]string{
		"links=tor0:spine0..1,for=10;cables=2,place=tor:0,at=5,for=10":                     "cables=2,place=tor:0,for=15",
		"links=tor0..3:spine0,at=2,for=5;degrade=4:0.5,place=spread,at=3,for=4":            "cables=1,place=aligned,at=2,for=5",
		"links=tor0:spine0,rate=0.5,for=30;links=tor0:spine0+tor1:spine2,at=3,for=9":       "links=tor1:spine2+tor0:spine0,at=3,for=9;degrade=1:0.5,place=tor:0,for=30",
		"links=tor0:spine0,for=1,flap=4:1;links=tor0:spine0,at=1,for=3;loss=1%,at=9,for=1": "loss=1%,at=9,for=1;cables=1,place=first,for=4",
	} {
		one, two := repslab(t, append(strings.Fields(command), failure)...), repslab(t, append(strings.Fields(command), same)...)
		if one.code != exitDone || one.stdout != two.stdout || strings.Contains(one.stdout, ",0,0,0\n") {
			t.Errorf("%s:\n%+v\n%s:\n%+v", failure, one, same, two)
		}
	}
}

// TestFailureSeed: --failure-seed is the option seed of every failure in random places that has none, in all
// combinations, and rows name it.
func TestFailureSeed(t *testing.T) {
	command := "fattree --hosts 16 --workload tornado --message-bytes 256kB --replicas 4 --lb switch-round-robin --format csv " +
		"--columns failure,max_fct_us,lost --failure "
	one := repslab(t, append(strings.Fields(command), "none|cables=1,for=20;switches=1,seed=3,for=5|cables=2,place=first,for=5", "--failure-seed", "7")...)
	two := repslab(t, append(strings.Fields(command), "none|cables=1,seed=7,for=20;switches=1,seed=3,for=5|cables=2,place=first,for=5")...)
	if one.code != exitDone || one.stdout != two.stdout || !strings.Contains(one.stdout, "\"cables=1,seed=7,for=20;switches=1,seed=3,for=5\"") {
		t.Errorf("%+v\n%+v", one, two)
	}
	if o := repslab(t, "fattree", "--failure", "cables=1,place=first", "--failure-seed", "7"); o.code != exitUsage || !strings.Contains(o.stderr, "used only by failures in random places") {
		t.Errorf("%+v", o)
	}
}
