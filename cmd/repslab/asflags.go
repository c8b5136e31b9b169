package main

import (
	"errors"
	"fmt"
	"strings"

	"repslab/mc"
	"repslab/reps"
)

// asFlags turns the error of a library into a usage error: each fault that it joins or
// wraps is reported under the name of its flag. The keys of flags are fields and arguments,
// in any case of letters. A field of an entry of a list, such as Flows[3].Bytes, has the
// flag of the list.
func asFlags(err error, flags map[string]string) error {
	if err == nil {
		return nil
	}
	return usagef("%s", strings.Join(faultTexts(err, flags), "; "))
}

// faultTexts returns the messages of the faults that an error joins or wraps.
func faultTexts(err error, flags map[string]string) []string {
	switch e := err.(type) {
	case *mc.FieldError:
		return []string{faultText(e, e.Field, e.About, flags)}
	case *reps.FieldError:
		return []string{faultText(e, e.Field, e.About, flags)}
	case interface{ Unwrap() []error }:
		var texts []string
		for _, one := range e.Unwrap() {
			texts = append(texts, faultTexts(one, flags)...)
		}
		return texts
	}
	if inner := errors.Unwrap(err); inner != nil {
		if context, ok := strings.CutSuffix(err.Error(), inner.Error()); ok {
			texts := faultTexts(inner, flags)
			texts[0] = context + texts[0]
			return texts
		}
	}
	return []string{err.Error()}
}

// faultText returns the message of a fault, with the name of the field's flag if it has one.
func faultText(err error, field string, about func(name string) string, flags map[string]string) string {
	if flag, ok := fieldFlag(field, flags); ok {
		return about("--" + flag)
	}
	list, entry, indexed := strings.Cut(field, "[")
	index, part, parted := strings.Cut(entry, "].")
	flag, known := fieldFlag(list, flags)
	if !indexed || !parted || !known {
		return err.Error()
	}
	return about(fmt.Sprintf("--%s: %s %s: %s", flag, strings.ToLower(strings.TrimSuffix(list, "s")), index, strings.ToLower(part)))
}

// fieldFlag returns the flag of a field.
func fieldFlag(field string, flags map[string]string) (flag string, ok bool) {
	for name, flag := range flags {
		if strings.EqualFold(name, field) {
			return flag, true
		}
	}
	return "", false
}
