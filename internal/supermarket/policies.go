package supermarket

import "slices"

// draw appends sampled servers to p.samples until it has count entries.
func (p *Process) draw(count int, distinct bool) {
	for len(p.samples) < count {
		if server := p.sample(); !distinct || !slices.Contains(p.samples, server) {
			p.samples = append(p.samples, server)
		}
	}
}

// shortest returns the server with the shortest queue in a list, a random one if there are several.
func (p *Process) shortest(list []uint32) uint32 {
	best, equal := list[0], uint64(1)
	for _, server := range list[1:] {
		switch queue, least := p.queues[server], p.queues[best]; {
		case queue < least:
			best, equal = server, 1
		case queue == least:
			if equal++; p.rng.Below(equal) == 0 {
				best = server
			}
		}
	}
	return best
}

func (p *Process) bySamples() uint32 {
	p.samples = p.samples[:0]
	p.draw(p.cfg.Choices, p.cfg.Distinct)
	p.messages += int64(p.cfg.Choices)
	return p.shortest(p.samples)
}

func (p *Process) withMemory() uint32 {
	p.samples = append(p.samples[:0], p.remembered)
	p.draw(p.cfg.Choices+1, false)
	p.messages += int64(p.cfg.Choices + 1)
	return p.shortest(p.samples)
}

func (p *Process) byObservations() uint32 {
	p.samples = p.samples[:0]
	p.draw(p.cfg.Choices, true)
	p.messages += int64(p.cfg.Choices)
	for _, server := range p.samples {
		p.seen[server] = p.queues[server]
	}
	least, equal := slices.Min(p.seen), uint64(0)
	for _, queue := range p.seen {
		if queue == least {
			equal++
		}
	}
	skip := p.rng.Below(equal)
	for server, queue := range p.seen {
		if queue != least {
			continue
		}
		if skip == 0 {
			p.seen[server]++
			return uint32(server)
		}
		skip--
	}
	panic("supermarket: no server has the shortest remembered queue")
}

func (p *Process) byName() uint32 {
	if known := p.names.list; len(known) > 0 {
		return known[p.rng.Below(uint64(len(known)))]
	}
	return p.sample()
}

// hear receives the name of a random idle server that is not remembered.
func (p *Process) hear() {
	server := p.silent.list[p.rng.Below(uint64(len(p.silent.list)))]
	p.messages++
	if len(p.names.list) < p.cfg.Names {
		p.silent.remove(server)
		p.names.add(server)
	}
}
