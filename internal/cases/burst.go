package cases

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"repslab/fattree"
	"repslab/internal/times"
	"repslab/internal/values"
)

// burst is a value of --burst, in us; both are 0 for none.
type burst struct{ on, off float64 }

// String returns the burst as --burst takes it.
func (b burst) String() string {
	if b.off == 0 {
		return "none"
	}
	return fmt.Sprintf("on=%v,off=%v", b.on, b.off)
}

// burst returns the value of --burst that the point has.
func (p *Fattree) burst() burst {
	return burst{float64(p.Options.BurstOn) / us, float64(p.Options.BurstOff) / us}
}

// setBurst sets the times of the burst.
func (p *Fattree) setBurst(b burst) {
	p.Options.BurstOn, p.Options.BurstOff = fattree.Picoseconds(math.Round(b.on*us)), fattree.Picoseconds(math.Round(b.off*us))
}

// bursts reads values of --burst, separated by |.
func bursts(text string) ([]burst, error) { return values.Each(text, "|", readBurst) }

// readBurst reads a value of --burst.
func readBurst(text string) (b burst, err error) {
	if text == b.String() {
		return b, nil
	}
	on, off, _ := strings.Cut(text, ",off=")
	on, found := strings.CutPrefix(on, "on=")
	onPS, errOn := times.Read(on, 0.001, 1e6)
	offPS, errOff := times.Read(off, 0.001, 1e6)
	if cmp.Or(errOn, errOff) != nil || !found {
		return b, fmt.Errorf("%.60q must be none or on=TIME,off=TIME in [0.001, 1e+06] us, such as on=50us,off=100us", text)
	}
	return burst{float64(onPS) / us, float64(offPS) / us}, nil
}
