package rows

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadsWhatIsUsed: of a CSV file the columns of the plot are kept; a wrong key is still told all of them.
func TestReadsWhatIsUsed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.csv")
	if err := os.WriteFile(path, []byte("a,b,c,d\n1,2,3,4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	data, err := readColumns(path, "d", "b", "none")
	if err != nil || len(data.rows) != 1 || len(data.rows[0].cells) != 2 || data.rows[0].get("b") != int64(2) || data.rows[0].get("d") != int64(4) || data.rows[0].get("a") != nil {
		t.Errorf("%+v, error %v", data, err)
	}
	if err := data.check("x", "none"); err == nil || !strings.Contains(err.Error(), "must be one of a, b, c, d") {
		t.Errorf("error %v", err)
	}
}

// TestMissingFields: NA and NaN in a CSV are missing, and a byte-order mark is no part of the first key.
func TestMissingFields(t *testing.T) {
	for field, missing := range map[string]bool{"": true, "NA": true, "na": true, "NaN": true, "nan": true, "n": false, "0": false, "NAN1": false} {
		if cell, err := readField("x", field); err != nil || (cell == nil) != missing {
			t.Errorf("%q is read as %v, error %v", field, cell, err)
		}
	}
}
