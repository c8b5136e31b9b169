// Nic puts REPS into the send loop of a tiny NIC model. It imports only the standard library and
// repslab/reps.
//
// A connection sends 20,000 packets over eight paths, one packet every 100 ns, with at most 256 in
// flight. A path is a queue that serves a packet every 500 ns and marks packets that join more than eight
// others. ACKs come back after 4 us. Path 0 is slow, with 2 us per packet, and path 1 loses every packet
// from 300 us on. A loss is noticed 50 us after sending, and the packet is sent again. The switch hashes
// the entropy value onto a path.
//
// REPS needs four calls: Init for a connection, NextEV for a packet, OnAck and
// OnFailure for its fate. Time and random words are passed in. The program compares
// REPS with a random entropy value for every packet (OPS):
//
//	$ go run ./nic
//	OPS  done after 5519 us, 2742 packets marked, 2427 lost
//	REPS done after 2022 us, 0 packets marked, 9 lost
package main

import (
	"cmp"
	"fmt"
	"log"
	"math/rand/v2"
	"slices"

	"repslab/reps"
)

// Times are in nanoseconds.
const (
	packets     = 20_000
	window      = 256
	paths       = 8
	interval    = 100
	serveTime   = 500
	slowTime    = 2000
	markAt      = 8
	ackDelay    = 4000
	lossTimeout = 50_000
	failureAt   = 300_000
)

// sender chooses entropy values and learns the fate of their packets.
type sender interface {
	next() (ev uint16)
	acked(now uint32, ev uint16, marked bool)
	timedOut(now uint32)
}

// spraying is oblivious packet spraying.
type spraying struct{ random *rand.PCG }

func (s spraying) next() uint16             { return uint16(s.random.Uint64()) }
func (spraying) acked(uint32, uint16, bool) {}
func (spraying) timedOut(uint32)            {}

// recycling is REPS.
type recycling struct {
	reps   reps.REPS
	random *rand.PCG
}

func (r *recycling) next() uint16 {
	ev, _ := r.reps.NextEV(r.random)
	return ev
}
func (r *recycling) acked(now uint32, ev uint16, marked bool) { r.reps.OnAck(now, ev, marked) }
func (r *recycling) timedOut(now uint32)                      { r.reps.OnFailure(now) }

// news is the fate of a packet and the time at which the sender learns it.
type news struct {
	at           uint32
	ev           uint16
	marked, lost bool
}

// network holds the time until which each path is busy.
type network struct{ busy [paths]uint32 }

// send puts a packet on the path of its entropy value.
func (n *network) send(now uint32, ev uint16) news {
	path := uint32(ev) * 0x9E3779B1 >> 16 % paths // the switch's hash
	serve := uint32(serveTime)
	switch {
	case path == 1 && now >= failureAt:
		return news{at: now + lossTimeout, ev: ev, lost: true}
	case path == 0:
		serve = slowTime
	}
	queued := (max(n.busy[path], now) - now) / serve
	n.busy[path] = max(n.busy[path], now) + serve
	return news{at: n.busy[path] + ackDelay, ev: ev, marked: queued > markAt}
}

// run sends all packets and prints the time of the last ACK, in microseconds, and the numbers of marked
// and lost packets.
func run(name string, s sender) {
	var n network
	var pending []news // ascending by time
	unsent, delivered, marked, lost := packets, 0, 0, 0
	now := uint32(0)
	for ; delivered < packets; now += interval {
		for len(pending) > 0 && pending[0].at <= now {
			p := pending[0]
			pending = pending[1:]
			if p.lost {
				lost++
				unsent++
				s.timedOut(now)
				continue
			}
			delivered++
			if p.marked {
				marked++
			}
			s.acked(now, p.ev, p.marked)
		}
		if unsent > 0 && len(pending) < window {
			unsent--
			p := n.send(now, s.next())
			at, _ := slices.BinarySearchFunc(pending, p.at+1, func(q news, t uint32) int { return cmp.Compare(q.at, t) })
			pending = slices.Insert(pending, at, p)
		}
	}
	fmt.Printf("%-4s done after %d us, %d packets marked, %d lost\n", name, now/1000, marked, lost)
}

func main() {
	run("OPS", spraying{rand.NewPCG(1, 0)})
	r := &recycling{random: rand.NewPCG(1, 0)}
	if err := r.reps.Init(reps.Config{}); err != nil { // 8 entries, 65,536 EVs, 10 ms
		log.Fatal(err)
	}
	run("REPS", r)
}
