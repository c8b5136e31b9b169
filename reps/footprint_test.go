package reps

import "testing"

// TestTable1 recomputes Table 1 of the paper: 74 bits with 1 entry, 193 with 8;
// and the 197 bits of 8 entries with the count of written slots.
func TestTable1(t *testing.T) {
	for _, tt := range []struct{ entries, reuse, table, all int }{
		{1, 1, 74, 75}, {8, 1, 193, 197}, {8, 4, 193, 201}, {32, 1, 601, 607},
	} {
		cfg := Config{BufferSize: tt.entries, ReuseCount: tt.reuse}
		components, err := Footprint(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if table, all := SumBits(components); table != tt.table || all != tt.all {
			t.Errorf("%d entries, reuse %d: SumBits = %d, %d, want %d, %d", tt.entries, tt.reuse, table, all, tt.table, tt.all)
		}
	}
}

// TestFootprintRows pins the rows of Table 1 in its order.
func TestFootprintRows(t *testing.T) {
	components, err := Footprint(Config{})
	if err != nil {
		t.Fatal(err)
	}
	want := []Component{
		{Name: "cachedEV", Bits: 16, Count: 8, InTable: true},
		{Name: "isValid", Bits: 1, Count: 8, InTable: true},
		{Name: "head", Bits: 8, Count: 1, InTable: true},
		{Name: "numberOfValidEVs", Bits: 8, Count: 1, InTable: true},
		{Name: "exitFreezingMode", Bits: 32, Count: 1, InTable: true},
		{Name: "isFreezingMode", Bits: 1, Count: 1, InTable: true},
		{Name: "exploreCounter", Bits: 8, Count: 1, InTable: true},
		{Name: "writtenSlots", Bits: 4, Count: 1},
	}
	if len(components) != len(want) {
		t.Fatalf("%d components, want %d", len(components), len(want))
	}
	for i, c := range components {
		if c.Meaning == "" {
			t.Errorf("component %s has no meaning", c.Name)
		}
		c.Meaning = ""
		if c != want[i] {
			t.Errorf("component %d = %+v, want %+v", i, c, want[i])
		}
	}
}

// TestFootprintIsEncoding holds the footprint against what is really written.
func TestFootprintIsEncoding(t *testing.T) {
	for entries := 1; entries <= MaxBufferSize; entries++ {
		for _, reuse := range []int{1, 2, MaxReuseCount} {
			cfg := Config{BufferSize: entries, ReuseCount: reuse}
			components, err := Footprint(cfg)
			if err != nil {
				t.Fatal(err)
			}
			_, all := SumBits(components)
			if data := mustEncode(t, mustNew(t, cfg)); len(data) != (all+7)/8 {
				t.Errorf("%d entries, reuse %d: %d bytes written, footprint %d bits", entries, reuse, len(data), all)
			}
		}
	}
}

func TestFootprintError(t *testing.T) {
	if _, err := Footprint(Config{BufferSize: 33}); err == nil {
		t.Error("Footprint of 33 entries: no error")
	}
}
