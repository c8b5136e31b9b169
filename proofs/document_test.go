package proofs

import (
	"os"
	"strings"
	"testing"
)

// TestDocumentIsCurrent: docs/proof.md is what the audit writes.
func TestDocumentIsCurrent(t *testing.T) {
	results, err := audited()
	if err != nil {
		t.Fatal(err)
	}
	document, err := os.ReadFile("../docs/proof.md")
	if err != nil {
		t.Fatal(err)
	}
	if got := Markdown(results); got != string(document) {
		t.Error("docs/proof.md is not what `repslab prove --format markdown` writes")
	}
}

// TestDocumentStatesDomains: the domain of each step is in its heading or in its claim, if
// the claim is written out.
func TestDocumentStatesDomains(t *testing.T) {
	results, err := audited()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		stated := strings.Contains(r.about(), r.Domain) || !r.symbolic && strings.Contains(r.Claim, r.Domain)
		if !stated && r.Domain != robinDomain && r.Domain != "always" {
			t.Errorf("%s: %q is not stated", r.ID, r.Domain)
		}
	}
}

// TestLaTeXIsBalanced: the LaTeX document is balanced and plain ASCII.
func TestLaTeXIsBalanced(t *testing.T) {
	results, err := audited()
	if err != nil {
		t.Fatal(err)
	}
	text := LaTeX(results)
	for i, c := range text {
		if c > 126 {
			t.Fatalf("character %q at %d: %q", c, i, text[max(0, i-40):i])
		}
	}
	depth := 0
	plain := strings.NewReplacer(`\\`, "", `\{`, "", `\}`, "").Replace(text)
	for i, c := range plain {
		switch c {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth < 0 {
			t.Fatalf("a brace too many at %q", plain[max(0, i-40):i])
		}
	}
	if depth != 0 || strings.Count(text, `\[`) != strings.Count(text, `\]`) {
		t.Errorf("braces (%d open) or displays are not balanced", depth)
	}
	for _, r := range results {
		if !strings.Contains(text, `\paragraph{`+r.ID+":") {
			t.Errorf("%s is not in the document", r.ID)
		}
	}
}
