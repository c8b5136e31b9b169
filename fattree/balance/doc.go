// Package balance holds the load balancers of the fat-tree model. A load balancer chooses the entropy value (EV)
// of every packet, and switches hash the EV to a path. The table has the names on the command line, and the
// constructors without their New.
//
//	ecmp            ECMP            one EV for each flow, its number [Bonato26 sec. 4.1]
//	ops             Spraying        oblivious packet spraying: a uniform EV for each packet
//	                                [Dixit13; Bonato26 sec. 4.1]
//	plb             PLB             another EV after 2 rounds of an RTT with a mark, or a
//	                                time-out; K = 0 as the authors run it
//	                                [Qureshi22; Bonato26-artifact]
//	plb-k25         PLB             plb with rounds congested above 25 % of marks, as the
//	                                authors mean it [Qureshi22; Bonato26-artifact]
//	flowlet         Flowlet         another EV after half an RTT without an ACK
//	                                [Vanini17; Bonato26-artifact]
//	mprdma          MPRDMA          the EV of the last ACK that left room in the window, else
//	                                uniform [Lu18; Bonato26-artifact]
//	mptcp           Multipath       8 fixed EVs in turn, packet by packet, with one window
//	                                [Raiciu11; Bonato26-artifact]
//	mptcp-subflows  Subflows        8 subflows with a window and an EV each, a packet to the
//	                                next that has room; --cc dctcp or none
//	                                [Raiciu11; Bonato26 sec. 4.1]
//	bitmap          Bitmap          like STrack: EVs in turn, those with marks and losses
//	                                passed over; a power of two of EVs up to 256
//	                                [Le24; Bonato26-artifact]
//	stratified      Stratified      spraying in blocks of one packet per EV, in an order drawn
//	                                for each block; a power of two of EVs [UEC-htsim]
//	mixed           RecyclingBitmap the EVs of unmarked ACKs again, oldest first, else as bitmap
//	                                [UEC-htsim]
//	mrc             MRC             up to 128 EVs in turn; one with a mark is passed over once,
//	                                one that loses a packet until a probe is answered [MRC26]
//	adaptive-roce   Adaptive        each switch takes the shortest queue, for data and ACKs
//	                                [Bonato26-artifact]
//	switch-ops      SwitchSpraying  control: each switch takes a uniform port, for data and
//	                                ACKs [no other source]
//	round-robin     RoundRobin      control: each switch takes its ports in turn for data
//	                                [no other source]
//	switch-round-robin  ShuffledRoundRobin
//	                                each switch takes its ports in turn for data, each turn in
//	                                another order [UEC-htsim]
//	switch-adaptive SwitchAdaptive  each switch takes a port of the lowest of four classes of
//	                                queues for data [UEC-htsim]
//	switch-flowlet  SwitchFlowlet   switch-adaptive for the first packet of a flow and, half of
//	                                the time, after 10 us without one [UEC-htsim]
//	host-adaptive   HostAssisted    mixed; each switch moves half of the packets whose EVs lead
//	                                to the highest class of queues [UEC-htsim]
//	reps-legacy     Recycling       each EV once, up to 151, then those of unmarked ACKs from an
//	                                unbounded list, else uniform; no freezing mode
//	                                [Bonato26-artifact; UEC-htsim]
//	reps            Recycling       the EVs of unmarked ACKs again, else uniform; freezing
//	                                mode when a failure is suspected [Bonato26 sec. 3]
//	reps-exclude    Excluding       reps that never freezes: the EV of a time-out is not used for
//	                                --exclude-us; not by --profile uet [no other source]
//	klb             KLB             K active EVs in turn; a mark replaces its EV with
//	                                probability (K-1)/K; K is --active-evs [ecn-sweep]
//	klb-always      KLB             klb in which every mark replaces its EV: the senders of
//	                                SKLB, without its switches [ecn-sweep]
//	hklb            HKLB            uniform EVs until K without a mark are known, then as klb;
//	                                a loss removes its EV [ecn-sweep]
//	path-round-robin Rotation       EVs in turn from --path-start: with --ev-routing exact and
//	                                as many --evs as paths, all paths in turn [no other source]
//	source-round-robin  SourceRotation
//	                                path-round-robin with one rotation for all flows of a host
//	                                [McClure25]
//	destination-round-robin  DestinationRoundRobin
//	                                each switch takes its ports in turn for data, separately
//	                                for each destination host [McClure25]
//	shorter-of-two  ShorterOfTwo    each switch takes the shorter queue of two uniform ports for
//	                                data [Mitzenmacher01]
//	path-static     Static          one EV for each source host, its number; with --ev-routing
//	                                exact and as many --evs as paths no two hosts of a ToR
//	                                share one [no other source]
//	oracle          Oracle          bound: knows the links that are up and their rates, and
//	                                sends to paths in proportion; with exact EVs [no other source]
//	reps-planes     PerPlane        reps with a ring and a freezing mode for each plane, by
//	                                --profile mrc [no other source]
//
// [NewMixed] uses one balancer for background traffic and another one for all other flows. REPS can also
// follow the rules of the authors' simulator and of the Ultra Ethernet simulator. The other host balancers of the
// Ultra Ethernet simulator are stratified, bitmap, mixed and reps-legacy.
//
// The balancers follow [Bonato26-artifact], which differs from the papers that gave them their names; each doc
// comment says how. Balancers that choose per packet draw from a random stream per flow.
//
// [New] returns a balancer by its name on the command line, with the parameters of the authors' runs; [All] lists
// the names. A balancer serves one run at a time; [transport.Run.Execute] resets it.
//
// examples/balancer implements a balancer outside this module; docs/extending.md explains it.
//
// # References
//
// [Bonato26], [Bonato26-artifact], [Dixit13], [Qureshi22], [Vanini17], [Lu18], [Raiciu11], [Le24], [UEC-htsim],
// [MRC26], [ecn-sweep], [McClure25], [Mitzenmacher01]; full entries are under these keys in docs/references.md.
package balance
