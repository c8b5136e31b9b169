// Package mrc chooses entropy values (EVs) as MRC, Multipath Reliable Connection, does: the part of a sender that
// chooses a plane of the network, and a path in the plane, for every packet. Where REPS (package reps) remembers
// good paths, MRC rules out bad ones. A connection goes in turn through a set of EVs of every plane. A congestion
// mark makes the rotation pass over the EV once. A lost packet takes its EV out of use until a probe of the path
// is answered, and a backup EV of the same plane takes its place. So planes carry equal loads while all ports
// work.
//
// No document of MRC fixes every rule. The package follows summaries of the specification, the public headers and
// examples ([MRC26]); the choices below fill the gaps, and docs/mrc.md has the source of each choice. The package
// has no clock: the caller detects lost packets, sends probes and controls congestion. After Init nothing is
// allocated.
//
// # States
//
//	Good        in the rotation
//	Skip        passed over, by default in this rotation, and Good in the next
//	AssumedBad  out of use until enough probes are answered
//	Denied      out of use until the operator allows it
//
// The active EVs of a plane are the first Config.Active EVs of its set that are Good or Skip; the usable EVs after
// them are backups.
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
//  1. The EVs of a plane's set are start, start + stride, start + 2 stride ..., modulo the number of its values.
//     Each connection draws start and stride (prime to the number of values) for each plane, so connections do
//     not run in step. Four bytes tell the set, and one multiplication finds an EV's place in it.
//  2. The planes whose port works and is free take turns. In a plane, a packet gets the next active EV in the order
//     of the set. A plane whose EVs are all Skip uses the first of them. Config.Order can draw the order anew for
//     each pass: each EV is then a uniform one of those left in the pass, which takes a generator of 8 bytes and a
//     bit for each EV.
//  3. Skip lasts until the rotation reaches the EV: one rotation at most. Config.Skip has the other readings of the
//     specification: the rotation resets at most one EV for each packet sent, or Skip lasts for a time.
//  4. An EV that recovers is active again at once if its place in the set is among the first Config.Active usable
//     ones. The last backup in use then becomes a waiting backup again.
//  5. Once only Config.MinActive EVs are active, an EV that no backup can replace becomes Skip instead of
//     AssumedBad: a lost packet then counts like a mark.
//  6. Probes test one EV at a time, beginning at place 0 of the set of plane 0. The test moves to the same place of
//     the next plane, after the last plane to the next place of plane 0, and after the last place to place 0.
//     Probe moves on in this order until the EV under test is AssumedBad; it moves nowhere if no EV is AssumedBad.
//     An EV recovers after Config.ProbeReplies answers in a row. The test moves on then, and after every lost
//     probe. Each move resets the answers in a row to 0, and so does a Probe that finds no EV AssumedBad.
//  7. Feedback for an EV that is not in the set, or is out of use, changes nothing.
//
// # Symbols
//
//	active set, backup set   Config.Active, Config.Backup   EVs of a plane
//	ev_min_active            Config.MinActive               EVs of all planes
//	plane, port              EV.Port                        0 to Config.Planes - 1
//
// # References
//
// [MRC26]; the full entry is under this key in docs/references.md.
package mrc
