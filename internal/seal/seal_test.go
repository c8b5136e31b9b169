package seal

import (
	"bytes"
	"errors"
	"testing"
)

// TestEveryByte: a line whose byte at any place has any other value does not open. Its checksum is CRC-32C:
// 0xe3069283 for the digits 1 to 9.
func TestEveryByte(t *testing.T) {
	if got := Line([]byte("123456789")); string(got) != "123456789,\"crc32c\":\"e3069283\"}\n" {
		t.Errorf("sealed %q", got)
	}
	body := []byte(`{"run":3,"value":{"Sent":4096}`)
	line := bytes.TrimSuffix(Line(bytes.Clone(body)), []byte("\n"))
	if got, err := Open(line); err != nil || !bytes.Equal(got, body) || !Is(line) || Is(body) || len(line) != len(body)+Length {
		t.Fatalf("opened %q, %v", got, err)
	}
	for i := range line {
		for change := 1; change < 256; change++ {
			line[i] ^= byte(change)
			if got, err := Open(line); !errors.Is(err, ErrCorrupted) {
				t.Errorf("%q opens: %q", line, got)
			}
			line[i] ^= byte(change)
		}
	}
	for end := range line {
		if _, err := Open(line[:end]); !errors.Is(err, ErrCorrupted) {
			t.Errorf("the first %d bytes open", end)
		}
	}
	if _, err := Open(append(line, '\r')); !errors.Is(err, ErrCorrupted) {
		t.Errorf("CRLF: %v", err)
	}
}
