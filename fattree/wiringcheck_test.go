package fattree

import (
	"fmt"
	"strings"
	"testing"
)

// spoilt is a Tree with another table of switch 0, which has 4 ports.
type spoilt struct {
	Tree
	first, count int32
}

func (s spoilt) Wire() *Wiring {
	w := s.Tree.Wire()
	w.nodes[0].first, w.nodes[0].count = s.first, s.count
	return w
}

// TestPortsUp: the ports that lead to hosts elsewhere are ports of the switch.
func TestPortsUp(t *testing.T) {
	for _, c := range []struct {
		first, count int32
		ok           bool
	}{{2, 2, true}, {2, 1, true}, {3, 1, true}, {0, 4, true}, {2, 3, false}, {3, 2, false}, {4, 1, false}, {-1, 2, false}, {2, -1, false}} {
		_, err := Build(Spec{Topology: spoilt{Tree{Hosts: 4, HostsPerToR: 2}, c.first, c.count}, Workload: Workload{Flows: []Flow{message(0, 3, 1)}}})
		if refused := err != nil && strings.Contains(err.Error(), fmt.Sprintf("must include [First, First+Count) = [%d, %d)", c.first, c.first+c.count)); c.ok == refused {
			t.Errorf("First %d, Count %d: error %v", c.first, c.count, err)
		}
	}
}
