package balance

import (
	"slices"
	"testing"
)

// TestUsesRoom: of the balancers of the command line, mprdma alone uses the window's room, and it uses RTTs.
func TestUsesRoom(t *testing.T) {
	var users []string
	for _, named := range All() {
		b, err := named.New(64)
		if err != nil {
			t.Fatal(err)
		}
		if traits := b.Traits(); traits.UsesRoom {
			if users = append(users, named.Name); traits.IgnoresRTTs {
				t.Errorf("%s ignores RTTs", named.Name)
			}
		}
	}
	if !slices.Equal(users, []string{"mprdma"}) {
		t.Errorf("%v use the window's room, want mprdma", users)
	}
}
