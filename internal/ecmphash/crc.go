package ecmphash

import (
	"encoding/binary"
	"hash/crc32"
)

// The fields of every packet that the CRC covers besides addresses and EV.
const (
	protocolUDP     = 17
	destinationPort = 4791 // RoCEv2
)

// CRC32 returns the CRC-32 of IEEE 802.3 (polynomial 0x04c11db7, reflected; the
// same as in Ethernet and zip) [Peterson61] of a packet's 5-tuple in the order
// of its headers:
//
//	bytes  0-3     4-7          8         9-10         11-12
//	       source  destination  protocol  source port  destination port
//
// in network byte order, where source and destination are the upper and lower 32 bits of
// sourceDestination, the protocol is 17 (UDP), the source port is the EV and the destination port 4791
// (RoCEv2). The CRC starts from the salt, 0 for a plain CRC. O(1), about 40 ns, no allocation.
func CRC32(sourceDestination uint64, ev uint16, salt uint32) uint32 {
	var key [13]byte
	binary.BigEndian.PutUint64(key[0:], sourceDestination)
	key[8] = protocolUDP
	binary.BigEndian.PutUint16(key[9:], ev)
	binary.BigEndian.PutUint16(key[11:], destinationPort)
	// crc32.Update would make the key escape to the heap.
	crc := ^salt
	for _, b := range key {
		crc = crc32.IEEETable[byte(crc)^b] ^ crc>>8
	}
	return ^crc
}
