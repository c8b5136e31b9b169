// Package topology builds the networks that package fattree runs: fat trees and their failures.
//
// A [FatTree] is the Topology of a [fattree.Spec]. [ParseFailures] and then [Place] or [Planes.Place] give the
// faults and bit errors of the Spec; for the ports of a single [fattree.Fault], use [FatTree.Ports] or
// [Planes.Ports].
//
// # Fat trees
//
// A fat tree is a folded Clos network of two or three tiers of switches. ToRs, tier 0, have hosts below them and
// uplinks to the switches of tier 1: the spines, or the aggregation switches of their pod. Aggregation switches
// have uplinks to the cores, tier 2. Switches are numbered tier by tier, and within a tier pod by pod. Uplink j of
// a ToR leads to switch j / CablesPerPair of tier 1 of its pod. Uplink k of aggregation switch a of any pod leads
// to core a * UplinksPerAgg / CoreCablesPerPair + k / CoreCablesPerPair. A packet goes up until its destination is
// below the switch. All uplinks of a switch lead to the destination equally well, and so do parallel cables down
// to a switch.
//
// Symbols: k, the radix, is the number of ports of a switch in the classical three-tier tree, which has k^3/4
// hosts ([DefaultRadix]); the oversubscription is HostsPerToR / UplinksPerToR.
//
// Switches hash an EV onto one of the equal-cost ports. With [ExactPath] as the Choose of a Spec, an EV names one
// of them.
//
// # Failures
//
// A [Failure] says what fails: cables, switches, rates, transceivers, ports of network cards, bits, or packets;
// for good, for a time, or again and again. By default places are drawn from all cables or switches of the
// network. Places are skipped if their failure would cut the last path between two ToRs. Aligned failures are the
// same at every ToR or in every pod. In a network of planes ([Planes.Place]) failures hit every plane, one plane,
// or a plane that is drawn, and no two hosts lose their last path.
//
// # Other topologies
//
// Another network is another type with the four methods of [fattree.Topology]. Its Wire adds the switches in the
// order of their numbers ([fattree.Wiring.Add]), each with its hosts, its ports to other switches and its routing.
// The routing says which ports lead to the hosts below the switch, and which ports lead to other hosts: the same
// for all ([fattree.Switch.Count]) or by ranges of hosts ([fattree.Switch.Ranges]). The links of a switch to other
// switches are of at most two classes of rate and latency. Outline lists these classes and the kinds of paths, and
// Path says which kind leads from one host to another.
//
// For example, a dragonfly has hosts at every router, local links of one class, and global links of another. Its
// routers have a range for each router of their group and for each other group; the tests of this package run one.
// In a network of several planes ([Planes]) each host has a switch of its own, its network card
// ([fattree.Switch].NIC), with ports into the planes. Failures are given by ports, so a topology with a method
// like [FatTree.Ports] can have them.
//
// # What is left out
//
// Paths that are not the shortest, as in Valiant's routing: a switch would have to choose them by more than the
// destination. Planes of different trees.
//
// # References
//
// [Bonato26] sec. 4.1; [Bonato26-artifact] for htsim's trees; [UEC-htsim] for planes; [MRC26] for failures
// of planes, ports and transceivers, and links that flap. Full entries are
// under these keys in docs/references.md.
package topology
