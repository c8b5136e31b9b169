// Package browser answers one question: what does a page do in a browser,
// used as a person uses it?
//
// [Open] starts Debian's chromium without a window. A [Page] is then loaded,
// clicked, typed into and looked at. It remembers what a person would not see:
// everything written to the console and every request, so that [Page.CheckQuiet]
// can say that there was no error and that nothing left the page's origin.
// [Page.CheckAccess] looks for what shuts out readers who use a keyboard, a
// screen reader or a small screen.
//
// Where chromium is missing the test is skipped, unless REPSLAB_REQUIRE names
// chromium. Screenshots go to the test's artefacts: go test -artifacts keeps
// them. If REPSLAB_AXE names a copy of axe.min.js (package axe-core), its rules
// are checked too.
package browser
