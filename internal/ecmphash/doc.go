// Package ecmphash computes which of its equal-cost ports a switch chooses for a packet.
//
//	symbol  parameter          bits  meaning
//	sd      sourceDestination  64    source in the upper half, destination in the lower
//	EV      ev                 16    entropy value: the field that a sender varies
//	s       salt               64    the switch's own constant (32 for the CRC)
//	H       result of a hash   32    a word
//	n       ports                    equal-cost ports, numbered from 0
//
// A switch hashes a packet and turns the word into a port:
//
//	port = floor(H(sd, EV, s) n / 2^32)    [Hash], [Port]                (1)
//	port = CRC(sd, EV, s) mod n            [CRC32], [Remainder]          (2)
//
// The model uses (1): every bit of the key affects every bit of the word, so ports look random, with a
// new draw for every salt. Many switches compute (2). A CRC is linear over bits, so
//
//	CRC(sd, EV, s) = CRC(sd, 0, s) xor L(EV)                             (3)
//	CRC(sd, EV, s) = CRC(sd, EV, 0) xor K(s)                             (4)
//
// with linear L and K. For n = 2^r the port is r bits of the word, also a linear function. By (3) a flow
// with EVs 0 to 2^k - 1 then reaches some ports equally often and the others not at all. With the r
// lowest bits, as in (2), it reaches as many ports as it can, min(n, 2^k), for all n up to 512. With the
// r uppermost bits, as in (1), its first 32 EVs would reach only 4 of 32 ports. By (4) the salt only
// renames ports: packets that share a port under one salt share a port under every salt.
//
// Assumptions: addresses are 32-bit numbers, all packets are UDP to one
// destination port, and the EV is the UDP source port. Left out: the vendors'
// seeds, field selections and resilient tables.
//
// References (docs/references.md): [Evensen19], [Peterson61], [Lemire19].
package ecmphash
