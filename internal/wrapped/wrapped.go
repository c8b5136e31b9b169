//go:build !js

// Package wrapped finds, by reflection, the balancers and congestion controls that others hold in their fields.
package wrapped

import (
	"fmt"
	"reflect"
	"slices"
)

// mostDepth bounds how deep wrappers are nested, so that wrappers in a circle end.
const mostDepth = 8

// each calls f with every value of an interface type User that v holds: in fields, lists and maps, but not in fields of
// those values. Structs with methods of their pointers are passed as pointers.
func each(v reflect.Value, user reflect.Type, f func(reflect.Value)) {
	switch kind := v.Kind(); {
	case kind == reflect.Interface:
		if !v.IsNil() {
			each(v.Elem(), user, f)
		}
	case v.Type().Implements(user):
		if kind != reflect.Pointer || !v.IsNil() {
			f(v)
		}
	case kind == reflect.Struct && v.CanAddr() && reflect.PointerTo(v.Type()).Implements(user):
		f(v.Addr())
	case kind == reflect.Struct:
		for i := range v.NumField() {
			each(v.Field(i), user, f)
		}
	case kind == reflect.Array, kind == reflect.Slice:
		if element := v.Type().Elem(); element.Kind() == reflect.Interface || element.Implements(user) {
			for i := range v.Len() {
				each(v.Index(i), user, f)
			}
		}
	case kind == reflect.Map:
		for entries := v.MapRange(); entries.Next(); {
			each(entries.Value(), user, f)
		}
	}
}

// inside calls each for what v, or what it points to, holds.
func inside(v reflect.Value, user reflect.Type, f func(reflect.Value)) {
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if v.Kind() == reflect.Struct {
		for i := range v.NumField() {
			each(v.Field(i), user, f)
		}
	}
}

// Lost names an optional interface that a run would not find. A wrapper, which is user or inside user, holds a User
// that implements it, has no method Unwrap() User, and does not implement the interface itself. It returns
// an empty string if nothing is lost. O(fields).
func Lost[User any](user User, optional ...reflect.Type) string {
	u := reflect.TypeFor[User]()
	return lost(reflect.ValueOf(user), u, reflect.TypeFor[interface{ Unwrap() User }](), optional, mostDepth)
}

func lost(v reflect.Value, user, unwraps reflect.Type, optional []reflect.Type, depth int) (what string) {
	// v answers for what it holds with the interfaces that it implements.
	left := slices.DeleteFunc(slices.Clone(optional), v.Type().Implements)
	inside(v, user, func(held reflect.Value) {
		for _, o := range left {
			if what == "" && !v.Type().Implements(unwraps) && has(held, user, unwraps, o, depth) {
				what = fmt.Sprintf("%v holds a %v, which is a %v: give it a method Unwrap() %v, or the methods of %v", v.Type(), held.Type(), o, user, o)
			}
		}
		if what == "" && depth > 0 {
			what = lost(held, user, unwraps, left, depth-1)
		}
	})
	return what
}

// has reports whether v is an o, or unwraps to one.
func has(v reflect.Value, user, unwraps, o reflect.Type, depth int) (is bool) {
	if is = v.Type().Implements(o); !is && depth > 0 && v.Type().Implements(unwraps) {
		inside(v, user, func(held reflect.Value) { is = is || has(held, user, unwraps, o, depth-1) })
	}
	return is
}

// Shared reports whether two values have memory in common: they are one pointer, or hold one pointer to a User.
// Pointers to types without fields do not count. O(fields).
func Shared[User any](a, b User) bool {
	user, seen, shared := reflect.TypeFor[User](), map[uintptr]bool{}, false
	pointers(reflect.ValueOf(&a).Elem(), user, mostDepth, func(p uintptr) { seen[p] = true })
	pointers(reflect.ValueOf(&b).Elem(), user, mostDepth, func(p uintptr) { shared = shared || seen[p] })
	return shared
}

// pointers calls f with the pointers to Users that v is or holds.
func pointers(v reflect.Value, user reflect.Type, depth int, f func(uintptr)) {
	each(v, user, func(held reflect.Value) {
		if held.Kind() == reflect.Pointer && held.Type().Elem().Size() > 0 {
			f(held.Pointer())
		}
		if depth > 0 {
			inside(held, user, func(next reflect.Value) { pointers(next, user, depth-1, f) })
		}
	})
}
