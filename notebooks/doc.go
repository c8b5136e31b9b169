// Package notebooks lists the packages that cells of the notebooks in this folder may import. It
// has no code of its own: its imports make go.mod name every library, so that a notebook looks
// nothing up while it runs. Figures and tables are shown by package nb.
//
// The first cell of a notebook copies go.mod into the kernel's folder and names the
// module there cell. Cells use public packages, and nb for figures and tables.
package notebooks

import (
	_ "repslab/ballsbins"
	_ "repslab/ballsbins/allocation"
	_ "repslab/coalescing"
	_ "repslab/evsimbalance"
	_ "repslab/fattree/balance"
	_ "repslab/fattree/congestion"
	_ "repslab/fattree/fluid"
	_ "repslab/fattree/topology"
	_ "repslab/fattree/traffic"
	_ "repslab/fattree/transport"
	_ "repslab/mc"
	_ "repslab/notebooks/nb"
	_ "repslab/proofs"
	_ "repslab/recycled"
	_ "repslab/reps"
)
