package mc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
)

// Checked returns the experiment with a check of its tallies, so that no observation is lost in silence.
// [Experiment.Run] and package sweep use it. It panics unless the parts of a tally are as [AppendTally] needs
// them, are the same at each call of Parts, and are shared neither with each other nor with another tally of
// NewTally. A worker then fails if it returns the same tally twice, or if a block changed a field of the tally
// that is no part: only parts are merged. The check takes O(size of a tally) time for each block.
func (e Experiment[T]) Checked() Experiment[T] {
	e.mustBeWhole("Experiment")
	one, other := e.newTally(), e.newTally()
	parts, again := one.Parts(), one.Parts()
	mustBeParts("Experiment", parts)
	known := partsAt(parts)
	switch {
	case len(known) < len(parts):
		panic("mc: Experiment: two parts of the tally are the same accumulator")
	case len(partsAt(append(again, parts...))) > len(known):
		panic("mc: Experiment: Parts must list the same pointers into the tally at each call: give the tally's methods a pointer receiver")
	case len(partsAt(append(other.Parts(), parts...))) < 2*len(known):
		panic("mc: Experiment: NewTally must return a new tally with the same parts at each call")
	}
	newWorker := e.NewWorker
	e.NewWorker = func(seed uint64) Worker[T] {
		run, fresh := newWorker(seed), e.newTally()
		if run == nil {
			return nil // which Run reports
		}
		before := fresh
		return func(ctx context.Context, block Block) (T, error) {
			t, err := run(ctx, block)
			if err != nil || isNil(t) {
				return t, err
			}
			if v := reflect.ValueOf(t); v.Kind() == reflect.Pointer && v.Pointer() == reflect.ValueOf(before).Pointer() {
				return t, errors.New("mc: Experiment: a worker must return a new tally for each block")
			}
			before = t
			field := changed("", reflect.ValueOf(t), reflect.ValueOf(fresh), partsAt(t.Parts()))
			if field != "" {
				err = fmt.Errorf("mc: Experiment: %T%s has observations, but is no part of the tally: they would be lost", t, field)
			}
			return t, err
		}
	}
	return e
}

// place is the address and the type of a value: a struct and its first field differ in type alone.
type place struct {
	at uintptr
	of reflect.Type
}

// partsAt returns the places of parts.
func partsAt(parts []NamedPart) map[place]bool {
	at := make(map[place]bool, len(parts))
	for _, p := range parts {
		v := reflect.ValueOf(p.Part)
		at[place{v.Pointer(), v.Type().Elem()}] = true
	}
	return at
}

// changed returns the path of the first field, apart from parts, in which a tally differs from a fresh one,
// and "" if there is none. Functions and channels are not compared.
func changed(path string, t, fresh reflect.Value, parts map[place]bool) string {
	if t.IsValid() != fresh.IsValid() || t.IsValid() && t.Type() != fresh.Type() {
		return path
	}
	if t.CanAddr() && parts[place{t.UnsafeAddr(), t.Type()}] {
		return ""
	}
	equal := true
	switch t.Kind() {
	case reflect.Invalid, reflect.Func, reflect.Chan, reflect.UnsafePointer:
	case reflect.Pointer, reflect.Interface:
		equal = t.IsNil() == fresh.IsNil()
		if equal && !t.IsNil() && !(t.Kind() == reflect.Pointer && t.Pointer() == fresh.Pointer()) {
			return changed(path, t.Elem(), fresh.Elem(), parts)
		}
	case reflect.Struct:
		for i := range t.NumField() {
			if field := changed(path+"."+t.Type().Field(i).Name, t.Field(i), fresh.Field(i), parts); field != "" {
				return field
			}
		}
	case reflect.Slice, reflect.Array:
		equal = t.Len() == fresh.Len()
		for i := 0; equal && i < t.Len(); i++ {
			if field := changed(path, t.Index(i), fresh.Index(i), parts); field != "" {
				return field
			}
		}
	case reflect.Map:
		equal = t.Len() == fresh.Len()
		for entry := t.MapRange(); equal && entry.Next(); {
			if field := changed(path, entry.Value(), fresh.MapIndex(entry.Key()), parts); field != "" {
				return field
			}
		}
	default:
		equal = t.Equal(fresh) || t.CanFloat() && math.IsNaN(t.Float()) && math.IsNaN(fresh.Float())
	}
	if equal {
		return ""
	}
	return path
}
