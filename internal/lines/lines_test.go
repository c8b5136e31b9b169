package lines

import (
	"io"
	"strings"
	"testing"
)

// TestSkipMark: the mark of UTF-8 is left out once, UTF-16 is an error with and without its mark, and other texts with
// zero bytes, binary files and short texts are passed on unchanged.
func TestSkipMark(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "a": "a", "\ufeff": "", "\ufeffab": "ab", "\ufeff\ufeffab": "\ufeffab", "\x00\x1b[2J": "\x00\x1b[2J", "\x7f\x10\x00\x00": "\x7f\x10\x00\x00",
		"a\x00b": "a\x00b", "\x00\x00\x00\x00": "\x00\x00\x00\x00", "ab\x00\x00": "ab\x00\x00", "\xff\xff": "\xff\xff", "\xffa\x00b": "\xffa\x00b",
	} {
		if got, err := io.ReadAll(SkipMark(strings.NewReader(text))); string(got) != want || err != nil {
			t.Errorf("%q is read as %q, error %v", text, got, err)
		}
	}
	for _, text := range []string{"\xff\xfe", "\xfe\xff", "\xff\xfea\x00", "\xfe\xff\x00a", "a\x00b\x00", "\x00a\x00b"} {
		if got, err := io.ReadAll(SkipMark(strings.NewReader(text))); len(got) > 0 || err == nil || err.Error() != "the text is in UTF-16, but must be in UTF-8; iconv -f UTF-16 -t UTF-8 converts it" {
			t.Errorf("%q is read as %q, error %v", text, got, err)
		}
	}
}
