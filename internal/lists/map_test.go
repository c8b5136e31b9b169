package lists

import (
	"slices"
	"strconv"
	"testing"
)

func TestMap(t *testing.T) {
	if got, want := Map([]int{3, 1, 2}, strconv.Itoa), []string{"3", "1", "2"}; !slices.Equal(got, want) {
		t.Errorf("Map([3 1 2], Itoa) = %q, want %q", got, want)
	}
	if got := Map(nil, strconv.Itoa); got != nil {
		t.Errorf("Map(nil, Itoa) = %#v, want nil", got)
	}
}
