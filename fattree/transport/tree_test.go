package transport

import "repslab/fattree/topology"

// Tree is a fat tree.
type Tree = topology.FatTree
