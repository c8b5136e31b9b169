// Package mrc is the choice of entropy values (EVs) in MRC, Multipath Reliable Connection: the part of a sender
// that chooses for every packet a plane of the network and a path in it. Where REPS (package reps) remembers
// paths that were good, MRC rules out those that were bad. A connection goes in turn through a set of EVs of
// every plane; a congestion mark passes over an EV once, a lost packet takes it out of use until a probe of its path is
// answered, and a backup of the same plane takes its place. So planes carry equal loads while all ports work.
//
// No document of MRC fixes every rule: the package follows summaries of the specification, the public headers and
// examples ([MRC26]), and says below what it has chosen where they are silent; docs/mrc.md has the source of each
// choice. Time is not known here: the caller detects lost packets, sends probes and controls congestion. After Init
// nothing is allocated.
//
// # States
//
//	Good        in the rotation
//	Skip        passed over, by default in this rotation, and Good in the next
//	AssumedBad  out of use until enough probes are answered
//	Denied      out of use until the operator allows it
//
// The active EVs of a plane are the first Config.Active of its set that are Good or Skip; those behind them are
// backups.
//
//	event                                      method        effect on the EV
//	acknowledged without a mark                OnAck         none
//	acknowledged with a mark                   OnAck         Good -> Skip
//	the receiver says that it be avoided       OnAlwaysSkip  Good, Skip -> AssumedBad
//	trimmed, not at the last hop               OnTrimmed     Good -> Skip
//	trimmed at the last hop                    OnTrimmed     none: congestion of the receiver
//	neither acknowledged nor trimmed           OnLoss        Good, Skip -> AssumedBad
//	probe answered, without and with a mark    OnProbeReply  AssumedBad -> Good, Skip
//	probe not answered                         OnProbeLoss   none; another EV is probed next
//	ports that work, of this NIC and the peer  OnPorts       none; other planes are passed over
//
// # Choices where the sources are silent
//
//  1. The EVs of a plane's set are start, start + stride, start + 2 stride ..., modulo the number of its values,
//     start and stride (prime to that number) drawn for each connection and plane: four bytes tell the set, an EV's
//     place in it follows from its value by one multiplication, and connections do not run in step.
//  2. Each packet goes to the plane after that of the packet before, of those whose port works and is free; in a plane
//     to the next active EV in the order of the set. A plane whose EVs are all Skip uses the first of them.
//     Config.Order draws the order anew for each pass: after each EV a uniform one of those that are left, which
//     takes a generator of 8 bytes and a bit for each EV.
//  3. Skip lasts until the rotation comes by: one rotation at most. Config.Skip has the other readings of the
//     specification: the rotation resets one EV for each packet sent at most, or Skip lasts for a time.
//  4. An EV that recovers is active again at once, if that is its place in the set, and the last backup in use is
//     one no more.
//  5. If as few EVs are active as Config.MinActive, EVs that could be replaced by no backup become Skip instead of
//     AssumedBad: a lost packet is news as bad as a mark.
//  6. Probes test one EV at a time: a place of the set of a plane, at first place 0 of plane 0. After it comes the
//     same place of the next plane, after the last plane the next place of plane 0, and after the last place place 0.
//     Probe moves on in this order until the EV under test is AssumedBad, and moves nowhere if no EV is. An EV
//     recovers after Config.ProbeReplies answers in a row. Then, and after every lost probe, the next place is under
//     test. Each move sets the answers in a row to 0, and so does a Probe that finds no EV AssumedBad.
//  7. Feedback for an EV that is not in the set, or is out of use, changes nothing.
//
// # Symbols
//
//	active set, backup set   Config.Active, Config.Backup   EVs of a plane
//	ev_min_active            Config.MinActive               EVs of all planes
//	plane, port              EV.Port                        0 to Config.Planes - 1
//	reverse set              Reverse                        an EV of each plane for control packets
//
// # References
//
// [MRC26]; the full entry is under this key in docs/references.md.
package mrc
