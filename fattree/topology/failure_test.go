package topology

import (
	"strings"
	"testing"
)

// TestParseFailures: every term and option of the grammar.
func TestParseFailures(t *testing.T) {
	for _, c := range []struct {
		text string
		want []Failure
	}{
		{" ", nil},
		{"cables=8%", []Failure{{Kind: Cables, Percent: 8}}},
		{"cables=2,dir=both,place=aligned,at=1.5,for=20", []Failure{{Kind: Cables, Count: 2, Direction: Both, Place: Aligned, Start: 1_500_000, For: 20_000_000}}},
		{" switches=1 , place=random ; degrade=3%:0.5,dir=up", []Failure{{Kind: Switches, Count: 1, Place: Random}, {Kind: Degrade, Percent: 3, Rate: 0.5}}},
		{"degrade=8:0.25,dir=down,layer=core,place=first", []Failure{{Kind: Degrade, Count: 8, Rate: 0.25, Direction: Down, Core: true, Place: First}}},
		{"cables=1,flap=0.2ms:50us,at=3000ns,for=1e4", []Failure{{Kind: Cables, Count: 1, Start: 3_000_000, For: 1e10, Period: 200_000_000, Down: 50_000_000}}},
		{"switches=1,plane=random;degrade=100%:0.5,plane=0", []Failure{{Kind: Switches, Count: 1, Plane: AnyPlane}, {Kind: Degrade, Percent: 100, Rate: 0.5, Plane: FirstPlane}}},
		{"ports=1;ports=25%,plane=7,dir=down,place=first", []Failure{{Kind: NICPorts, Count: 1, Direction: Both, Plane: AnyPlane}, {Kind: NICPorts, Percent: 25, Direction: Down, Place: First, Plane: FirstPlane + 7}}},
		{"transceivers=3;transceivers=1,dir=up,plane=all", []Failure{{Kind: Transceivers, Count: 3, Direction: Both}, {Kind: Transceivers, Count: 1}}},
		{"links=tor0:spine0,loss=0.01%,rate=0.25,at=1,for=2", []Failure{{Kind: namedLinks, Links: "tor0:spine0", Place: Named, Loss: 0.01, Rate: 0.25, Start: 1_000_000, For: 2_000_000}}},
		{"switches=1,loss=3%;cables=1,rate=0.5;cables=1,rate=1", []Failure{{Kind: Switches, Count: 1, Loss: 3}, {Kind: Cables, Count: 1, Rate: 0.5}}},
		{"loss=0.1%,at=7", []Failure{{Kind: PacketLoss, Percent: 0.1, Start: 7_000_000}}},
		{"flow=0..3,paths=3,at=2;flow=7,paths=0..1,flap=5:1", []Failure{{Kind: FlowPaths, Flows: "0..3", Paths: "3", Start: 2_000_000}, {Kind: FlowPaths, Flows: "7", Paths: "0..1", Period: 5_000_000, Down: 1_000_000}}},
		{"ber-cable=1%;ber-switch=0.5%,at=7", []Failure{{Kind: CableErrors, Percent: 1}, {Kind: SwitchErrors, Percent: 0.5, Start: 7_000_000}}},
	} {
		got, err := ParseFailures(c.text)
		if err != nil || len(got) != len(c.want) {
			t.Fatalf("%q: %v, error %v", c.text, got, err)
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%q: term %d is %+v, want %+v", c.text, i, got[i], c.want[i])
			}
			if err := got[i].validate(i); err != nil {
				t.Errorf("%q: %v", c.text, err)
			}
		}
	}
}

// TestParseFailuresRefuses: nonsense is refused with the rule that it breaks, in a line or two.
func TestParseFailuresRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"cables":                              "no =",
		"cables=":                             `"" must be a number`,
		"cables=-1":                           `"-1" must be a number`,
		"cables=-0.1%":                        `"-0.1%" must be a percentage in [0%, 100%]`,
		"cables=0,place=here":                 `place ("here") must be random, aligned, first, spread or tor:K`,
		"cables=101%":                         `"101%" must be a percentage`,
		"cables=NaN%":                         `"NaN%" must be a percentage`,
		"wires=1":                             `"wires" must be cables, `,
		"degrade=3%":                          "a colon and a rate in (0, 1]",
		"degrade=3%:1.01":                     "a rate in (0, 1]",
		"degrade=3%:0":                        "a rate in (0, 1]",
		"ber-cable=3":                         "must be a percentage below 100%",
		"ber-switch=100%":                     "must be a percentage below 100%",
		"ber-cable=1%,place=random":           `option "place" of ber-cable must be at, for or flap`,
		"switches=1,dir=up":                   `option "dir" of switches must be rate, loss, place, seed, plane, at, for or flap`,
		"ber-cable=1%,flap=2:2":               `flap ("2:2") must be PERIOD:DOWN`,
		"cables=1,plane=":                     `plane ("") must be all, random or a number in [0, 7]`,
		"cables=1,plane=8":                    `plane ("8") must be all, random or a number in [0, 7]`,
		"cables=1,plane=-1":                   `plane ("-1") must be all, random or a number in [0, 7]`,
		"ports=1,plane=all":                   `plane ("all") of ports must be random or a number in [0, 7]`,
		"ports=1,place=first":                 "plane=random goes with random places, not first ones",
		"cables=1,place=aligned,plane=random": "plane=random goes with random places, not aligned ones",
		"transceivers=1,layer=core":           `option "layer" of transceivers must be rate, loss, dir, place, seed, plane, at, for or flap`,
		"flow=0":                              "it has no paths, as in flow=0,paths=3",
		"flow=,paths=1":                       `"" must be a number or a range such as 0..7`,
		"flow=1,paths=3..2":                   `"3..2" must be a number or a range`,
		"flow=1,paths=-1":                     `"-1" must be a number or a range`,
		"flow=16777216,paths=1":               `"16777216" must be a number or a range such as 0..7, below 16777216`,
		"flow=1,paths=0..":                    `"0.." must be a number or a range`,
		"flow=1,paths=1,plane=0":              `option "plane" of flow must be paths, loss, at, for or flap`,
		"cables=1,paths=1":                    `option "paths" of cables must be rate, loss, layer`,
		"cables=1,flap=":                      `flap ("") must be PERIOD:DOWN, two times such as 100us:20us, DOWN below PERIOD`,
		"cables=1,flap=5":                     `flap ("5") must be`,
		"cables=1,flap=5:5":                   `flap ("5:5") must be`,
		"cables=1,flap=5:0":                   `flap ("5:0") must be`,
		"cables=1,flap=2e9:1":                 `flap ("2e9:1") must be`,
		"cables=1,dir=in":                     `dir ("in") must be up, down or both`,
		"cables=1,layer=fabric":               `layer ("fabric") must be core`,
		"switches=1,layer=core":               `option "layer" of switches must be rate, loss, place,`,
		"cables=1,place=here":                 `place ("here") must be random, aligned, first, spread or tor:K`,
		"cables=1,place=tor:":                 `place ("tor:") must have a number in [0, 2097152]`,
		"cables=1,place=tor:K":                `place ("tor:K") must have a number`,
		"cables=1,place=tor:-1":               `place ("tor:-1") must have a number`,
		"cables=1,place=tor:9999999":          `place ("tor:9999999") must have a number`,
		"switches=1,place=spread":             `place ("spread") must be random, aligned or first`,
		"switches=1,place=tor:0":              `place ("tor:0") must be random, aligned or first`,
		"ports=1,place=tor:2":                 "plane=random goes with random places, not tor:K ones",
		"cables=1,seed=0":                     `seed ("0") must be an integer of at least 1`,
		"cables=1,seed=x":                     `seed ("x") must be an integer of at least 1`,
		"cables=1,seed=2,place=first":         "seed must come with random places, not first ones",
		"links=tor0:spine0,seed=2":            `option "seed" of links must be`,
		"cables=1,at=-1":                      `"-1" must be a time in [0, 1e+09] us, such as`,
		"cables=1,for=0":                      `"0" must be a time in [1e-06, 1e+09] us`,
		"cables=1,at=1e300":                   `"1e300" must be a time`,
		"cables=1,at=NaN":                     `"NaN" must be a time`,
		"cables=1,at=1,at=2":                  `"at" is given twice`,
		"cables=1,when=2":                     `option "when" of cables must be rate, loss, layer, dir, place, seed, plane, at, for or flap`,
		"cables=1;":                           `failures ("") must be a valid failure: it has no =`,
		"cables=1," + "for=1,x":               `option "x"`,
		strings.Repeat("a", 200) + "":         `failures ("` + strings.Repeat("a", 60) + `...")`,
	} {
		checkRefused(t, text, want)
	}
}

// TestParseRatesRefuses: so are rates and losses.
func TestParseRatesRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"degrade=3%:0.5,rate=0.5": `option "rate" of degrade must be loss, layer, dir, place, seed, plane, at, for or flap`,
		"cables=1,rate=0":         `rate ("0") must be a fraction in (0, 1]`,
		"cables=1,rate=1.01":      `rate ("1.01") must be a fraction in (0, 1]`,
		"cables=1,loss=1":         `loss ("1") must be a percentage in [0%, 100%), such as 0.01%`,
		"cables=1,loss=-1%":       `loss ("-1%") must be a percentage`,
		"cables=1,loss=100%":      `loss ("100%") must be a percentage`,
		"cables=1,loss=NaN%":      `loss ("NaN%") must be a percentage`,
		"flow=0,paths=1,rate=0.5": `option "rate" of flow must be paths, loss, at, for or flap`,
		"ber-switch=1%,loss=1%":   `option "loss" of ber-switch must be at, for or flap`,
		"loss=1":                  "must be a percentage below 100%",
		"loss=1%,plane=0":         `option "plane" of loss must be at, for or flap`,
	} {
		checkRefused(t, text, want)
	}
}

// checkRefused checks that a text is refused in a short error.
func checkRefused(t *testing.T, text, want string) {
	t.Helper()
	if _, err := ParseFailures(text); err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 220 {
		t.Errorf("%q: error %v, want %q in at most 220 bytes", text, err, want)
	}
}

// TestNoFailures: terms with a number of 0 are no failures, alone and together with others.
func TestNoFailures(t *testing.T) {
	for _, text := range []string{"cables=0", "cables=0%", "loss=0%", "ber-cable=0%,at=5", "switches=0;degrade=0:0.5,dir=both", "ports=0",
		"cables=1,rate=1", "links=tor0:spine0,loss=0%", "switches=1,loss=0%,rate=1;degrade=1:1,dir=both", "transceivers=1,rate=1.0,loss=00%", "flow=0,paths=1,loss=0%"} {
		if list, err := ParseFailures(text); len(list) > 0 || err != nil {
			t.Errorf("%s: %v, error %v", text, list, err)
		}
		if list, err := ParseFailures(text + ";cables=1"); len(list) != 1 || err != nil {
			t.Errorf("%s beside cables=1: %v, error %v", text, list, err)
		}
	}
}

// TestFailureTexts: the canonical text names the place unless the place is random.
func TestFailureTexts(t *testing.T) {
	for text, want := range map[string]string{
		"cables=1": "cables=1", "cables=1,place=random": "cables=1", "ber-cable=1%": "ber-cable=1%",
		"cables=1,at=5,place=aligned":              "cables=1,place=aligned,at=5",
		"degrade=2:0.5,place=first;switches=010%":  "degrade=2:0.5,place=first;switches=10%",
		"cables=1,plane=all,flap=2e2:050,for=9":    "cables=1,for=9,flap=200:50",
		"ports=1,dir=both,plane=random":            "ports=1",
		"ports=1,dir=up,plane=03":                  "ports=1,dir=up,plane=3",
		"transceivers=1,dir=both,plane=random":     "transceivers=1,plane=random",
		"transceivers=1,dir=up":                    "transceivers=1,dir=up",
		"cables=2,place=tor:07,dir=both,at=1":      "cables=2,dir=both,place=tor:7,at=1",
		"degrade=4:0.50,place=spread":              "degrade=4:0.5,place=spread",
		"cables=2,seed=07,dir=both":                "cables=2,dir=both,seed=7",
		"loss=01%":                                 "loss=1%",
		"cables=1,loss=01e-2%,rate=1":              "cables=1,loss=0.01%",
		"switches=1,loss=0%,rate=.5":               "switches=1,rate=0.5",
		"ports=1,rate=0.5,loss=0%,dir=up":          "ports=1,rate=0.5,dir=up",
		"degrade=1:0.5,loss=2%;loss=2%,flap=9:1":   "degrade=1:0.5,loss=2%;loss=2%,flap=9:1",
		"flow=0,paths=1,at=2,loss=3%":              "flow=0,paths=1,loss=3%,at=2",
		"links=tor0:spine0..7+tor1:spine2,rate=.5": "links=tor0:spine0..7+tor1:spine2,rate=0.5",
		"links=tor0:spine0,at=5,dir=both,flap=9:1": "links=tor0:spine0,dir=both,at=5,flap=9:1",
	} {
		list, err := ParseFailures(text)
		if got := FailuresString(list); err != nil || got != want {
			t.Errorf("%s: %q, error %v, want %q", text, got, err, want)
		}
	}
}

// FuzzParseFailures: no text makes ParseFailures panic, and accepted failures print as text that parses
// to the same failures.
func FuzzParseFailures(f *testing.F) {
	for _, text := range []string{"", "cables=8%;switches=1,place=aligned,at=100,for=50;degrade=3%:0.5,dir=both", "cables=1,place=random", "ber-cable=1e-3%", "degrade=8:0.25,dir=down,layer=core", "cables=2,at=0x1p-3",
		"ports=1,plane=3,dir=up;transceivers=5%,plane=random,flap=200:50;loss=0.1%", "switches=1,plane=all,flap=1e3:0.5,place=first",
		"links=tor0:spine0..7+tor5..6:spine2,dir=both,rate=0.5,at=3,for=9;links=agg5:core2,plane=1,flap=20:5", "degrade=4:0.5,place=spread;cables=16,place=tor:3,at=100,for=100", "ports=1,seed=9;cables=2,seed=9",
		"flow=0..3,paths=3,at=5,for=9;flow=0,paths=0..1,loss=1%,flap=9:1", "cables=1,rate=0.5,loss=0.01%;ports=1,loss=0%;degrade=1:1;loss=1%,flap=3:1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := ParseFailures(text)
		if err != nil || len(list) == 0 {
			return
		}
		for i, failure := range list {
			if err := failure.validate(i); err != nil {
				t.Fatalf("%q: %v", text, err)
			}
		}
		printed := FailuresString(list)
		again, err := ParseFailures(printed)
		if err != nil || FailuresString(again) != printed {
			t.Fatalf("%q is read as %q, and that as %q, error %v", text, printed, FailuresString(again), err)
		}
	})
}

// TestFailureOptions: which options are refused depends on the kind of failure.
func TestFailureOptions(t *testing.T) {
	for text, want := range map[string]string{
		"ber-cable=1%,place=random":            `option "place" of ber-cable must be`,
		"ber-cable=1%,place=here":              `option "place" of ber-cable must be`,
		"ber-switch=1%,dir=up":                 `option "dir" of ber-switch must be`,
		"ber-cable=1%,when=now":                `option "when" of ber-cable must be`,
		"cables=100%":                          "",
		"cables=2097152":                       "",
		"cables=2097153":                       "a number in [0, 2097152]",
		"switches=1,dir=both":                  `option "dir" of switches must be`,
		"cables=1,at=1000000000":               "",
		"cables=1,at=1000000001":               "time",
		"cables=1,for=0.000001":                "",
		"cables=1,for=0.0000004":               "time",
		"degrade=1:0.5,dir=both,place=aligned": "",
		"ber-cable=99.9%":                      "",
	} {
		if _, err := ParseFailures(text); err == nil != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}
