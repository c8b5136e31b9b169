package values

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"repslab/internal/lists"
)

// Names returns the values for a list of names such as ops,reps, in the order written. The name of a
// value is its text by package fmt. Upper and lower case are equal, and so are "_" and "-"; repeated
// names stay repeated.
//
// There is an error for a name that is not in allowed (see [MustBeOneOf]), for an empty item, and for
// more than 1,000,000 names. The result is never empty without an error. Names does not keep or modify
// allowed.
//
// Cost: O(len(text) * len(allowed)).
func Names[T any](text string, allowed []T) ([]T, error) {
	list, err := items(text)
	if err != nil {
		return nil, err
	}
	known := Texts(allowed)
	found := make([]T, len(list))
	for i, name := range list {
		at := slices.IndexFunc(known, func(other string) bool { return fold(name) == fold(other) })
		if at < 0 {
			return nil, fmt.Errorf("%s %s", quote(name), MustBeOneOf(name, known))
		}
		found[i] = allowed[at]
	}
	return found, nil
}

// Texts returns the names of values, by package fmt.
func Texts[T any](values []T) []string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = fmt.Sprint(v)
	}
	return texts
}

// MustBeOneOf completes an error about a word that is not one of the allowed names, such as "must be one
// of ops, reps, ecmp". If [Near] finds names it suggests them, and replaces a long list by the number of
// names: "must be one of 20 names; did you mean reps?". If Near finds none, more than 40 names are
// replaced by their number, and the three names with the fewest edits for their length are suggested.
//
// Cost: O(len(word) * total length of the names).
func MustBeOneOf(word string, names []string) string {
	const longList = 140 // characters; leaves space for the rest of the error in two lines
	const mostNames = 40 // longest list of names that people read
	all, near := oneOf(names), Near(word, names)
	switch {
	case len(near) == 0 && len(names) > mostNames:
		return fmt.Sprintf("must be one of %d names; the nearest are %s", len(names), strings.Join(closest(word, names), ", "))
	case len(near) == 0:
		return "must be " + all
	case len(all) > longList:
		all = fmt.Sprintf("one of %d names", len(names))
	}
	return fmt.Sprintf("must be %s; did you mean %s?", all, either(near))
}

// closest returns the three names with the fewest edits for their length, the nearest first.
func closest(word string, names []string) []string {
	const most, longest = 3, 60
	word = fold(word[:min(len(word), longest)])
	list := slices.Clone(names)
	distance := make(map[string]float64, len(list))
	for _, name := range list {
		distance[name] = float64(edits(word, fold(name))) / float64(max(1, len(word), len(name)))
	}
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(distance[a], distance[b]) })
	return list[:min(most, len(list))]
}

// Near returns the names, at most three, that somebody who wrote word may have meant. These are the names
// with the fewest edits, if these are at most a third of the length of word (one edit is always allowed).
// Otherwise they are the names that begin with word, and then the names that have it between dashes, or that word
// begins with or has between dashes, if the shorter has at least three characters. Upper and lower case are equal,
// and so are "_" and "-". An edit inserts, removes or replaces a character, or exchanges two neighbours.
// An edit that inserts or removes a digit other than 0 counts twice, so that 2 is nearer to 02 than to
// 12.
//
// Cost: O(len(word) * total length of the names); words of more than 60 bytes have none.
func Near(word string, names []string) (near []string) {
	const longest, most = 60, 3
	if len(word) > longest {
		return nil
	}
	folded := fold(word)
	least := max(1, len(folded)/3)
	for _, name := range names {
		switch d := edits(folded, fold(name)); {
		case d < least:
			near, least = []string{name}, d
		case d == least:
			near = append(near, name)
		}
	}
	if len(near) == 0 {
		near = lists.Where(names, func(name string) bool { return hasPart(folded, fold(name)) || hasPart(fold(name), folded) })
		begins := func(name string) bool { return strings.HasPrefix(strings.TrimLeft(fold(name), "-"), folded) }
		near = slices.Concat(lists.Where(near, begins), slices.DeleteFunc(near, begins))
	}
	return near[:min(most, len(near))]
}

// hasPart reports whether a name begins with part, or has it between dashes, and part has at least three
// characters.
func hasPart(name, part string) bool {
	return len(part) >= 3 && (strings.HasPrefix(name, part) || strings.Contains("-"+name+"-", "-"+part+"-"))
}

// fold returns the form of a name in which names are compared.
func fold(name string) string { return strings.ReplaceAll(strings.ToLower(name), "_", "-") }

// edits returns the number of edits that turn a into b, by dynamic programming over their prefixes
// (Damerau-Levenshtein distance with disjoint exchanges).
func edits(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0 && j == 0:
			case i == 0:
				rows[i][j] = rows[i][j-1] + weight(b[j-1])
			case j == 0:
				rows[i][j] = rows[i-1][j] + weight(a[i-1])
			case a[i-1] == b[j-1]:
				rows[i][j] = rows[i-1][j-1]
			default:
				rows[i][j] = min(rows[i-1][j]+weight(a[i-1]), rows[i][j-1]+weight(b[j-1]),
					rows[i-1][j-1]+max(weight(a[i-1]), weight(b[j-1])))
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
				}
			}
		}
	}
	return rows[len(a)][len(b)]
}

// weight returns the cost of an edit of a character.
func weight(character byte) int {
	if character != '0' && unicode.IsDigit(rune(character)) {
		return 2
	}
	return 1
}

// oneOf writes a choice of names: "a", "a or b", "one of a, b, c".
func oneOf(names []string) string {
	if len(names) <= 2 {
		return either(names)
	}
	return "one of " + strings.Join(names, ", ")
}

// either writes alternatives: "a", "a or b", "a, b or c".
func either(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
