package crosscheck

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
)

// drawer draws arguments of functions: ordinary values, and odd ones that no caller should pass.
type drawer struct {
	random *rand.Rand
	odd    float64 // probability that a leaf of a value is odd
	strict bool    // no zero value where a function makes one
	nan    bool    // a NaN was drawn that must be refused

	known     map[reflect.Type][]reflect.Value // constants and examples
	makers    map[reflect.Type][]reflect.Value // functions that return the type first
	concretes []reflect.Type                   // types that may implement an interface
}

// newDrawer returns a drawer of the exports, of the examples and of the standard library's interfaces.
func newDrawer() *drawer {
	d := &drawer{known: map[reflect.Type][]reflect.Value{}, makers: map[reflect.Type][]reflect.Value{}}
	add := func(value any) {
		v := reflect.ValueOf(value)
		d.known[v.Type()] = append(d.known[v.Type()], v)
	}
	visit := func(value any) {
		switch v := value.(type) {
		case nil:
		case reflect.Type:
			d.concretes = append(d.concretes, v, reflect.PointerTo(v))
		default:
			if f := reflect.ValueOf(v); f.Kind() != reflect.Func {
				add(v)
			} else if f.Type().NumOut() > 0 {
				d.makers[f.Type().Out(0)] = append(d.makers[f.Type().Out(0)], f)
			}
		}
	}
	for _, e := range exports {
		if t, ok := e.value.(reflect.Type); !ok || t.Kind() != reflect.Interface {
			visit(e.value)
		}
	}
	for _, list := range instances {
		for _, value := range list {
			visit(value)
		}
	}
	for _, e := range examples {
		visit(e)
	}
	return d
}

// chance reports true with probability p.
func (d *drawer) chance(p float64) bool { return d.random.Float64() < p }

// strange reports whether the next leaf is odd.
func (d *drawer) strange() bool { return d.chance(d.odd) }

// of returns a value of a type; depth limits its nesting.
func (d *drawer) of(t reflect.Type, depth int) reflect.Value {
	v := reflect.New(t).Elem()
	if list := d.known[t]; len(list) > 0 && d.chance(0.7) {
		v.Set(list[d.random.IntN(len(list))])
		if t.Kind() == reflect.Struct {
			d.mutate(v, depth)
		}
		return v
	}
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(d.chance(0.3))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		d.setInt(v)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(d.random.IntN(9)))
		if d.strange() {
			v.SetUint([]uint64{0, 255, 1 << 31, 1 << 40, math.MaxUint64}[d.random.IntN(5)] & (math.MaxUint64 >> (64 - t.Bits())))
		}
	case reflect.Float64, reflect.Float32:
		d.setFloat(v)
	case reflect.String:
		v.SetString([]string{"", "x"}[d.random.IntN(2)])
		if d.strange() {
			v.SetString([]string{"", "-1", "NaN", "1e999", "\x00", "a=b,c", strings.Repeat("9", 400)}[d.random.IntN(7)])
		}
	case reflect.Slice:
		if n := d.random.IntN(4); depth > 0 && !d.strange() {
			v.Set(reflect.MakeSlice(t, n, n))
			for i := range n {
				v.Index(i).Set(d.of(t.Elem(), depth-1))
			}
		}
	case reflect.Array:
		for i := range min(v.Len(), 8) {
			v.Index(i).Set(d.of(t.Elem(), depth-1))
		}
	case reflect.Map:
		if depth > 0 && !d.strange() {
			v.Set(reflect.MakeMap(t))
			for range d.random.IntN(3) {
				v.SetMapIndex(d.of(t.Key(), depth-1), d.of(t.Elem(), depth-1))
			}
		}
	case reflect.Struct:
		if made, ok := d.made(t, depth); ok {
			return made
		}
		d.mutate(v, depth)
	case reflect.Pointer:
		if made, ok := d.made(t, depth); ok {
			return made
		}
		if depth > 0 && !d.strange() {
			v.Set(reflect.New(t.Elem()))
			v.Elem().Set(d.of(t.Elem(), depth-1))
		}
	case reflect.Func:
		if !d.strange() {
			v.Set(d.function(t, depth))
		}
	case reflect.Interface:
		if !d.strange() {
			d.setInterface(v, depth)
		}
	}
	return v
}

// setInt sets a signed integer.
func (d *drawer) setInt(v reflect.Value) {
	v.SetInt(1 + int64(d.random.IntN(9)))
	if d.strange() {
		odd := []int64{0, 0, -1, -5, math.MinInt64, math.MaxInt64, math.MaxInt64 - 1, 1 << 31, 1 << 40, -1 << 31, 1 << 62}
		x := odd[d.random.IntN(len(odd))]
		if v.OverflowInt(x) {
			x = []int64{-1 << (v.Type().Bits() - 1), 1<<(v.Type().Bits()-1) - 1}[d.random.IntN(2)]
		}
		v.SetInt(x)
	}
}

// setFloat sets a floating-point number.
func (d *drawer) setFloat(v reflect.Value) {
	v.SetFloat([]float64{0.5, 0.9, 0.05, 1, 2, 10}[d.random.IntN(6)])
	if d.strange() {
		odd := []float64{math.NaN(), math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, 1e300, -1e300, 5e-324, 1 << 62, 1 + 1e-15}
		v.SetFloat(odd[d.random.IntN(len(odd))])
		d.nan = d.nan || math.IsNaN(v.Float())
	}
}

// mutate sets some exported fields of a struct.
func (d *drawer) mutate(v reflect.Value, depth int) {
	for i := range v.NumField() {
		if f := v.Field(i); f.CanSet() && depth > 0 && d.chance(2/float64(2+v.NumField())) {
			f.Set(d.of(f.Type(), depth-1))
		}
	}
}

// made returns a value from a function that makes the type, and false if there is none, it failed, or a
// zero value is drawn instead.
func (d *drawer) made(t reflect.Type, depth int) (v reflect.Value, ok bool) {
	makers := d.makers[t]
	if len(makers) == 0 || depth <= 0 || !d.strict && d.chance(0.2) {
		return v, false
	}
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	maker := makers[d.random.IntN(len(makers))]
	own := *d
	own.odd = 0
	for range 3 {
		out := maker.Call(own.arguments(maker.Type(), depth-1))
		if failed(out) == nil && !isNilValue(out[0]) {
			return out[0], true
		}
	}
	return v, false
}

// arguments draws the arguments of a function.
func (d *drawer) arguments(t reflect.Type, depth int) (in []reflect.Value) {
	for i := range t.NumIn() {
		if t.IsVariadic() && i == t.NumIn()-1 {
			for range d.random.IntN(3) {
				in = append(in, d.of(t.In(i).Elem(), depth))
			}
			break
		}
		in = append(in, d.of(t.In(i), depth))
	}
	return in
}

// function returns a function that returns ordinary values.
func (d *drawer) function(t reflect.Type, depth int) reflect.Value {
	own := *d
	own.odd, own.strict = 0, true
	var out []reflect.Value
	for i := range t.NumOut() {
		if t.Out(i) == reflect.TypeFor[error]() {
			out = append(out, reflect.Zero(t.Out(i)))
			continue
		}
		out = append(out, own.of(t.Out(i), depth-1))
	}
	return reflect.MakeFunc(t, func([]reflect.Value) []reflect.Value { return out })
}

// setInterface sets an interface to an implementation, or leaves it nil if there is none.
func (d *drawer) setInterface(v reflect.Value, depth int) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	own := []any{
		context.Background(), cancelled, rand.NewPCG(1, d.random.Uint64()), strings.NewReader("1 2 3\n4 5 6\n"), new(bytes.Buffer),
		errors.New("an error"), 3, "text", 0.5,
	}
	var fitting []reflect.Value
	for _, o := range own {
		if reflect.TypeOf(o).Implements(v.Type()) {
			fitting = append(fitting, reflect.ValueOf(o))
		}
	}
	if made, ok := d.made(v.Type(), depth); ok {
		fitting = append(fitting, made)
	}
	if v.Type() != reflect.TypeFor[any]() && v.Type() != reflect.TypeFor[io.Reader]() && v.Type() != reflect.TypeFor[io.Writer]() {
		for _, t := range d.concretes {
			if t.Kind() != reflect.Interface && t.Implements(v.Type()) && (t.Kind() == reflect.Pointer || !reflect.PointerTo(t).Implements(v.Type()) || d.chance(0.5)) {
				fitting = append(fitting, reflect.Zero(t))
			}
		}
	}
	if len(fitting) == 0 {
		return
	}
	chosen := fitting[d.random.IntN(len(fitting))]
	if chosen.IsZero() && depth > 0 {
		chosen = d.of(chosen.Type(), depth-1)
	}
	if !isNilValue(chosen) {
		v.Set(chosen)
	}
}

// isNilValue reports whether a value is nil.
func isNilValue(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Func, reflect.Map, reflect.Slice:
		return v.IsNil()
	}
	return false
}

// failed returns the error among results, nil if there is none.
func failed(out []reflect.Value) error {
	if len(out) == 0 {
		return nil
	}
	err, _ := out[len(out)-1].Interface().(error)
	if out[len(out)-1].Type() != reflect.TypeFor[error]() {
		return nil
	}
	return err
}
