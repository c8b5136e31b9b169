package runbook

import (
	"cmp"
	"encoding/json"
	"strings"
)

// Fields returns the numbers and texts of a value or key of [Encode] by name. Nested fields are named
// outer.inner, and lists are left out. A value that is not a struct has the given name.
func Fields(name string, text []byte) map[string]any {
	fields := map[string]any{}
	var add func(at string, tree any)
	add = func(at string, tree any) {
		switch of := tree.(type) {
		case map[string]any:
			for key, inner := range of {
				add(strings.TrimPrefix(at+"."+key, "."), inner)
			}
		case json.Number, string, bool:
			fields[cmp.Or(at, name)] = of
		}
	}
	add("", parsed(text))
	return fields
}
