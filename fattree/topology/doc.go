// Package topology builds the networks that package fattree runs: fat trees and their failures.
//
// Use it in this order: a [FatTree] is the Topology of a [fattree.Spec]; [ParseFailures] and
// [Place] or [Planes.Place] give the faults and bit errors of the Spec, or [FatTree.Ports] or
// [Planes.Ports] the ports of one [fattree.Fault].
//
// # Fat trees
//
// A fat tree is a folded Clos network of two or three tiers of switches. ToRs, tier 0, have hosts
// below them and uplinks to the switches of tier 1: the spines, or the aggregation switches of
// their pod. Aggregation switches have uplinks to the cores, tier 2. Switches are numbered tier by
// tier, and within a tier pod by pod. Uplink j of a ToR leads to switch j / CablesPerPair of tier 1
// of its pod; uplink k of aggregation switch a of any pod leads to core
// a * UplinksPerAgg / CoreCablesPerPair + k / CoreCablesPerPair. A
// packet goes up until its host is below the switch; all uplinks of a switch are equal, and so are
// the parallel cables down to a switch.
//
// Symbols: k, the radix, is the ports of a switch of the classical tree of three tiers, which has
// k^3/4 hosts ([DefaultRadix]); the oversubscription is HostsPerToR / UplinksPerToR.
//
// Switches hash an EV onto one of the equal ports; with [ExactPath] as the Choose of a Spec it names one.
//
// # Failures
//
// A [Failure] says what fails: cables, switches, rates, transceivers, ports of network cards, bits, or
// packets; for good, for a time, or again and again. By default places are drawn from all cables or
// switches of the network, without those whose failure would cut the last path between two ToRs. Aligned
// failures are the same at every ToR or in every pod. In a network of planes ([Planes.Place]) they hit
// every plane, one, or one that is drawn, and no two hosts lose their last path.
//
// # Other topologies
//
// Another network is another type with the four methods of [fattree.Topology]. Its Wire adds the
// switches in the order of their numbers ([fattree.Wiring.Add]), each with its hosts, its ports to
// other switches and its routing: which ports lead to the hosts below it, and which to all others,
// alike for all ([fattree.Switch.Count]) or by ranges of hosts ([fattree.Switch.Ranges]). The
// links of a switch to others are of at most two classes of rate and latency. Its Outline lists
// these classes and the kinds of paths, and its Path says which kind leads from one host to
// another.
//
// A dragonfly has hosts at every router, local links of one class and global ones of another, and
// a range for each router of its group and for each other group; the tests of this package run one.
// In a network of several planes ([Planes]) each host has a switch of its own, its network card
// ([fattree.Switch].NIC), whose ports lead into the planes. Failures are ports, so a topology with a
// method like [FatTree.Ports] has them too.
//
// # What is left out
//
// Paths that are not the shortest, as of Valiant's routing, which a switch would have to choose
// by more than a host; planes of different trees.
//
// # References
//
// [Bonato26] sec. 4.1; [Bonato26-artifact] for htsim's trees; [UEC-htsim] for planes; [MRC26] for failures
// of planes, ports and transceivers, and links that flap. Full entries are
// under these keys in docs/references.md.
package topology
