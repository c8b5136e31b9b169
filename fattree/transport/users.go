//go:build !js

package transport

import (
	"fmt"
	"reflect"

	"repslab/faults"
)

// checkUsers returns the traits of a balancer. It reports a balancer or a congestion control that is nil, or has the
// methods of an optional interface that its traits do not name.
func (r *Run) checkUsers(b Balancer, c Control) (t Traits, err error) {
	bad := faults.List{Package: "transport"}
	bad.Check(r.hosts != nil, "Run", nil, "must be made by NewRun")
	if b == nil {
		bad.Refuse("b", nil, "must be set: it balances the load")
	} else {
		t = b.Traits()
		named(&bad, "b", b, "Router", t.Router)
		named(&bad, "b", b, "Watcher", t.Watcher)
		named(&bad, "b", b, "Splitter", t.Splitter)
		named(&bad, "b", b, "Planes", t.Planes)
	}
	if c == nil {
		bad.Refuse("c", nil, "must be set: it controls congestion")
	} else {
		t := c.Traits()
		named(&bad, "c", c, "Granter", t.Granter)
		named(&bad, "c", c, "Insider", t.Insider)
		if _, is := c.(Insider); !is && t.Insider != nil {
			bad.Refuse("c", fmt.Sprintf("%T", c), "must be an Insider itself: it wraps one")
		}
	}
	return t, bad.Err()
}

// named refuses a user with the methods of an I that names none, or another one, in a field of its traits.
func named[I any](bad *faults.List, parameter string, user any, field string, part I) {
	if _, is := user.(I); is && reflect.TypeOf(part) != reflect.TypeOf(user) {
		bad.Refuse(parameter, fmt.Sprintf("%T", user), "has the methods of a %v: it must name itself in its traits as %s", reflect.TypeFor[I](), field)
	}
}
