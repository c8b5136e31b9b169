package scene

import (
	"fmt"
	"strconv"
	"strings"
)

// longest is the longest text of a value that an error repeats.
const longest = 40

// quote returns a text for an error, shortened.
func quote(text string) string {
	if len(text) > longest {
		text = text[:longest] + "..."
	}
	return strconv.Quote(text)
}

// parseChanges reads changes of ports, PORTxEVERY@ROUND joined by commas.
func parseChanges(text string) ([]Change, error) {
	var changes []Change
	for part := range strings.SplitSeq(text, ",") {
		var c Change
		port, rest, ok := strings.Cut(part, "x")
		every, round, ok2 := strings.Cut(rest, "@")
		ok = ok && ok2
		for _, field := range []struct {
			to   *int
			text string
		}{{&c.Port, port}, {&c.Every, every}, {&c.Round, round}} {
			n, err := strconv.Atoi(field.text)
			ok = ok && err == nil
			*field.to = n
		}
		if !ok {
			return nil, fmt.Errorf("ports: %s must be PORTxROUNDS@ROUND, such as 3x2@500, in a list joined by commas", quote(part))
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// formatChanges is the inverse of parseChanges.
func formatChanges(changes []Change) string {
	var text strings.Builder
	for i, c := range changes {
		if i > 0 {
			text.WriteByte(',')
		}
		text.WriteString(strconv.Itoa(c.Port) + "x" + strconv.Itoa(c.Every) + "@" + strconv.Itoa(c.Round))
	}
	return text.String()
}
