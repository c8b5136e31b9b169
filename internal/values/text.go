package values

import "strconv"

// shownCharacters is how much of a text an error repeats.
const shownCharacters = 60

// cut returns the first shownCharacters characters of text, and "..." if
// there are more, else "".
func cut(text string) (head, more string) {
	characters := 0
	for i := range text {
		if characters == shownCharacters {
			return text[:i], "..."
		}
		characters++
	}
	return text, ""
}

// quote returns text for an error: safe for a terminal, on one line, cut.
func quote(text string) string {
	head, more := cut(text)
	return strconv.Quote(head) + more
}

// show returns text for an error without quotes. It is for text that a
// grammar has already found to be plain ASCII.
func show(text string) string {
	head, more := cut(text)
	return head + more
}

// scanDigits returns the length of the longest prefix of decimal digits.
func scanDigits(text string) int {
	i := 0
	for i < len(text) && isDigit(text[i]) {
		i++
	}
	return i
}

// scanDecimal returns the length of the longest prefix of the form
//
//	digits [ "." digits ]
//
// or 0 if there is none.
func scanDecimal(text string) int {
	whole := scanDigits(text)
	if whole == 0 || whole == len(text) || text[whole] != '.' {
		return whole
	}
	fraction := scanDigits(text[whole+1:])
	if fraction == 0 {
		return whole
	}
	return whole + 1 + fraction
}

// scanNumber returns the length of the longest prefix of the form
//
//	digits [ "." digits ] [ ("e" | "E") [ "+" | "-" ] digits ]
//
// or 0 if there is none.
func scanNumber(text string) int {
	mantissa := scanDecimal(text)
	if mantissa == 0 || mantissa == len(text) || text[mantissa]|0x20 != 'e' {
		return mantissa
	}
	i := mantissa + 1
	if i < len(text) && (text[i] == '+' || text[i] == '-') {
		i++
	}
	exponent := scanDigits(text[i:])
	if exponent == 0 {
		return mantissa
	}
	return i + exponent
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
