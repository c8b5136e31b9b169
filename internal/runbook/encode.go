package runbook

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"repslab/mc"
)

// Encode returns a value as one line of JSON, the same for equal values. It takes numbers, texts, slices,
// arrays, maps with texts or whole numbers as keys, pointers, and structs of these. Structs in keys of
// runs may have unexported fields; values may not, since [Decode] cannot set them. Fields that are zero
// or have the tag json:"-" are left out. Encode panics on other types. O(length).
func Encode(value any) []byte { return appendValue(nil, reflect.ValueOf(value)) }

// marshaler is the type of values that encode themselves.
var marshaler = reflect.TypeFor[json.Marshaler]()

func appendValue(b []byte, v reflect.Value) []byte {
	if v.IsValid() && v.CanInterface() && v.Type().Implements(marshaler) {
		text, err := v.Interface().(json.Marshaler).MarshalJSON()
		if err != nil {
			panic(fmt.Sprintf("runbook: %s: %v", v.Type(), err))
		}
		return append(b, text...)
	}
	switch v.Kind() {
	case reflect.Bool:
		return strconv.AppendBool(b, v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(b, v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.AppendUint(b, v.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		return appendFloat(b, v.Float())
	case reflect.String:
		return appendText(b, v.String())
	case reflect.Slice, reflect.Array:
		return appendList(b, v)
	case reflect.Map:
		return appendMap(b, v)
	case reflect.Struct:
		return append(appendFields(append(b, '{'), v), '}')
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return appendValue(b, v.Elem())
		}
		return append(b, "null"...)
	}
	panic(fmt.Sprintf("runbook: values of %s are not recorded", v.Kind()))
}

// appendFloat appends the shortest number that parses to x, or a text if x is not finite.
func appendFloat(b []byte, x float64) []byte {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return appendText(b, strconv.FormatFloat(x, 'g', -1, 64))
	}
	return strconv.AppendFloat(b, x, 'g', -1, 64)
}

func appendText(b []byte, text string) []byte {
	quoted, _ := json.Marshal(text) // a text can always be encoded
	return append(b, quoted...)
}

func appendList(b []byte, v reflect.Value) []byte {
	b = append(b, '[')
	for i := range v.Len() {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendValue(b, v.Index(i))
	}
	return append(b, ']')
}

func appendMap(b []byte, v reflect.Value) []byte {
	values, names := map[string]reflect.Value{}, []string{}
	for entries := v.MapRange(); entries.Next(); {
		name := fmt.Sprint(entries.Key())
		values[name], names = entries.Value(), append(names, name)
	}
	slices.Sort(names)
	b = append(b, '{')
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendValue(append(appendText(b, name), ':'), values[name])
	}
	return append(b, '}')
}

// appendFields appends the fields of a struct, and fields of embedded structs as its own.
func appendFields(b []byte, v reflect.Value) []byte {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		switch at := v.Field(i); {
		case field.Tag.Get("json") == "-" || at.IsZero():
		case field.Anonymous && at.Kind() == reflect.Struct:
			b = appendFields(b, at)
		default:
			if b[len(b)-1] != '{' {
				b = append(b, ',')
			}
			b = appendValue(append(appendText(b, field.Name), ':'), at)
		}
	}
	return b
}

// Decode sets the variable to which into points to a value that [Encode] wrote. Fields that are not in
// the text stay as they are, so the variable should be zero. It returns an error if the text has a field
// that the type lacks, or if the value of an [mc.Estimate] lies outside its interval.
func Decode(text []byte, into any) error {
	var tree any
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	if err := decoder.Decode(&tree); err != nil {
		return fmt.Errorf("runbook: %w", err)
	}
	return assign(reflect.ValueOf(into).Elem(), tree)
}

// assign sets a value from a JSON tree.
func assign(v reflect.Value, tree any) error {
	if own, decodes := v.Addr().Interface().(json.Unmarshaler); decodes {
		text, err := json.Marshal(tree)
		if err == nil {
			err = own.UnmarshalJSON(text)
		}
		return err
	}
	switch of := tree.(type) {
	case nil:
		return nil
	case []any:
		return assignList(v, of)
	case map[string]any:
		return assignEntries(v, of)
	case bool:
		if v.Kind() == reflect.Bool {
			v.SetBool(of)
			return nil
		}
	case json.Number:
		return assignNumber(v, string(of))
	case string:
		if v.Kind() == reflect.String {
			v.SetString(of)
			return nil
		}
		return assignNumber(v, of)
	}
	return fmt.Errorf("runbook: %v is no %s", tree, v.Type())
}

func assignNumber(v reflect.Value, text string) error {
	var err error
	switch {
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return assignNumber(v.Elem(), text)
	case v.CanInt():
		var n int64
		n, err = strconv.ParseInt(text, 10, 64)
		v.SetInt(n)
	case v.CanUint():
		var n uint64
		n, err = strconv.ParseUint(text, 10, 64)
		v.SetUint(n)
	case v.CanFloat():
		var x float64
		x, err = strconv.ParseFloat(text, 64)
		v.SetFloat(x)
	default:
		err = fmt.Errorf("runbook: %s is no %s", text, v.Type())
	}
	return err
}

func assignList(v reflect.Value, list []any) error {
	switch {
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), len(list), len(list)))
	case v.Kind() != reflect.Array || v.Len() != len(list):
		return fmt.Errorf("runbook: a list of %d is no %s", len(list), v.Type())
	}
	for i, tree := range list {
		if err := assign(v.Index(i), tree); err != nil {
			return err
		}
	}
	return nil
}

func assignEntries(v reflect.Value, entries map[string]any) error {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return assignEntries(v.Elem(), entries)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for name, tree := range entries {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			if err := assign(key, name); err != nil {
				return err
			}
			if err := assign(value, tree); err != nil {
				return err
			}
			v.SetMapIndex(key, value)
		}
		return nil
	case reflect.Struct:
		for name, tree := range entries {
			field := v.FieldByName(name)
			if !field.CanSet() {
				return fmt.Errorf("runbook: %s has no field %q", v.Type(), name)
			}
			if err := assign(field, tree); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		if e, is := v.Interface().(mc.Estimate); is && (e.Value < e.Lo || e.Value > e.Hi) {
			return fmt.Errorf("runbook: the value of an estimate (%v) must lie in its interval [%v, %v]", e.Value, e.Lo, e.Hi)
		}
		return nil
	}
	return fmt.Errorf("runbook: %v is no %s", entries, v.Type())
}
