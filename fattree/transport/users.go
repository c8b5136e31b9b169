//go:build !js

package transport

import (
	"fmt"
	"reflect"

	"repslab/fattree"
	"repslab/faults"
	"repslab/internal/wrapped"
)

// users are a balancer and a congestion control.
type users struct {
	b Balancer
	c Control
}

// are reports whether u equals other. Users that cannot be compared do not.
func (u users) are(other users) (same bool) {
	defer func() { _ = recover() }() // == panics on lists and functions within the users
	return u == other
}

// check reports a balancer or a congestion control that is nil, or that wraps another one and loses a part of it.
func (r *Run) check(b Balancer, c Control) error {
	now := users{b, c}
	if b != nil && now.are(r.checked) {
		return nil
	}
	r.checked = users{}
	bad := faults.List{Package: "transport"}
	bad.Check(r.hosts != nil, "Run", nil, "must be made by NewRun")
	if b == nil {
		bad.Refuse("b", nil, "must be set: it balances the load")
	} else if lost := wrapped.Lost(b, reflect.TypeFor[fattree.Router](), reflect.TypeFor[fattree.Watcher](), reflect.TypeFor[Splitter](), reflect.TypeFor[Prober](),
		reflect.TypeFor[Inheriter](), reflect.TypeFor[CarryUser](), reflect.TypeFor[RoomUser](), reflect.TypeFor[Freezer](), reflect.TypeFor[Inspector]()); lost != "" {
		bad.Refuse("b", fmt.Sprintf("%T", b), "must not lose what it wraps: %s", lost)
	}
	if c == nil {
		bad.Refuse("c", nil, "must be set: it controls congestion")
	} else if lost := wrapped.Lost(c, reflect.TypeFor[Granter](), reflect.TypeFor[Observer](), reflect.TypeFor[Drawer](), reflect.TypeFor[Insider]()); lost != "" {
		bad.Refuse("c", fmt.Sprintf("%T", c), "must not lose what it wraps: %s", lost)
	} else if _, is := c.(Insider); !is {
		_, inside := As[Insider](c)
		bad.Check(!inside, "c", fmt.Sprintf("%T", c), "must be an Insider itself: it wraps one")
	}
	if err := bad.Err(); err != nil {
		return err
	}
	r.checked = now
	return nil
}
