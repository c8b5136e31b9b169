package reps

// Component is a line of the memory footprint: a kind of variable of the state
// of one connection.
type Component struct {
	Name    string // the pseudocode's name, or ours where InTable is false
	Meaning string
	Bits    int  // width of one variable, in bits
	Count   int  // number of such variables: BufferSize, or 1
	InTable bool // listed in Table 1 of [Bonato26]
}

// TotalBits returns Bits times Count.
func (c Component) TotalBits() int { return c.Bits * c.Count }

// Footprint returns the exact memory footprint of one connection of a REPS with the configuration cfg, in the
// order of the encoding, or the error of [Config.Validate]. [REPS.AppendBinary] writes variables of the same
// widths. Only BufferSize and a ReuseCount above 1 affect the footprint. The components with InTable set are Table
// 1 of [Bonato26]. O(1).
func Footprint(cfg Config) ([]Component, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.withDefaults()
	var components []Component
	for _, f := range layout(cfg.BufferSize, cfg.ReuseCount) {
		if f.width > 0 {
			components = append(components, Component{f.name, f.meaning, f.width, f.count, f.inTable})
		}
	}
	return components, nil
}

// SumBits returns two sums of bits: table sums the components of Table 1, and all sums every component. all is the
// length of an encoded state before it is padded to whole bytes. The default configuration has 193 and 197.
func SumBits(components []Component) (table, all int) {
	for _, c := range components {
		all += c.TotalBits()
		if c.InTable {
			table += c.TotalBits()
		}
	}
	return table, all
}
