//go:build !js

// Package wrapped finds, by reflection, the balancers and congestion controls that others hold in their fields.
package wrapped

import "reflect"

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
