package main

import (
	"regexp"
	"strings"
)

// field matches the beginning of a library's complaint about a field.
var field = regexp.MustCompile(`(?m)^\w+: ([\w/]+) \(`)

// asFlags turns the complaints of a library about configuration fields into
// usage errors about flags.
func asFlags(err error, flags map[string]string) error {
	if err == nil {
		return nil
	}
	text := field.ReplaceAllStringFunc(err.Error(), func(s string) string {
		name := field.FindStringSubmatch(s)[1]
		if flag, ok := flags[name]; ok {
			return "--" + flag + " ("
		}
		return s
	})
	return usagef("%s", strings.ReplaceAll(text, "\n", "; "))
}
