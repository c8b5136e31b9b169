// Package values parses the text of a parameter, from the command line or from a configuration file.
//
// # Grammar
//
// A text is a list of one or more items between commas. Spaces around items
// and around the parts of a range are ignored. An item is a value or a range:
//
//	list  = item { "," item }
//	item  = value | range
//	range = value ".." value [ ":+" step | ":x" factor ]
//
// What a value is depends on the function that reads the text:
//
//	Ints    [ "-" ] digits
//	Floats  [ "-" ] digits [ "." digits ] [ ("e" | "E") [ "+" | "-" ] digits ]
//	Sizes   digits [ "." digits ] [ unit ], a whole number of bytes
//	Exprs   an expression of n, see [Exprs]
//	Names   one of the names the caller allows; there are no ranges of names
//
// NaN, infinities, hexadecimal digits, digit separators, a leading "+" and a
// number that starts or ends with a dot are refused.
//
// # Ranges
//
// With v(0) the first end, a range stands for all values, up to its last end, of
//
//	v(i) = v(0) + i*step     (":+step"; ":+1" when no step is written)
//	v(i) = v(0) * factor^i   (":xfactor"; needs v(0) > 0)
//
// So the last end is included exactly when a step reaches it: 1..9:+2 is 1, 3, 5, 7, 9 and 1..8:+2 is 1,
// 3, 5, 7. Both ends must be allowed values, reached or not. A range ascends or has equal ends; a step is
// above 0; a factor is above 1, and an integer for integers and sizes. Values appear in the order
// written, and repeated values stay repeated.
//
// # Limits
//
// One text stands for at most 1,000,000 values. The limit is checked before a
// range is expanded, so a hostile range costs no more than its text.
//
// # Errors
//
// An error is one line without a prefix, meant to follow the name of a flag or
// a key. It shows the text at fault, at most 60 characters of it, and says
// what is allowed:
//
//	"16..": a range needs two ends, such as 16..64
//	1.5 must be in (0, 1]
//	0 must be an integer in [1, 65536]
//
// Text that is not well formed is quoted as by %q.
package values
