// Package browser tests the program's pages in a browser, as a person uses them: the live
// page of `repslab serve` (live_test.go), the report of `repslab reproduce` (report_test.go)
// and the player of `repslab view` (player_test.go). It has no code but tests.
//
// Open starts Debian's chromium without a window. A Page is then loaded, clicked, typed
// into and looked at (page_test.go). It records everything written to the console and
// every request, so that CheckQuiet can report errors and requests that leave the page's
// origin. CheckAccess reports what excludes readers who use a keyboard, a screen reader or
// a small screen (access_test.go); checks_test.go tests these checks themselves.
//
// Where chromium is missing the tests are skipped, unless REPSLAB_REQUIRE names
// chromium. Screenshots go to the tests' artifacts: go test -artifacts keeps
// them. If REPSLAB_AXE names a copy of axe.min.js (package axe-core), its rules
// are checked too.
package browser
