// Package browser tests the program's pages in a browser, as a person uses them: the live page of
// `repslab serve` (live_test.go), the report of `repslab reproduce` (report_test.go) and the player of
// `repslab view` (player_test.go). It contains only tests.
//
// Open starts Debian's chromium without a window. A Page is then loaded, clicked, typed into and
// inspected (page_test.go). It records all console output and all requests, so that CheckQuiet can report
// errors and requests that leave the page's origin. CheckAccess reports what excludes readers who use a
// keyboard, a screen reader or a small screen (access_test.go); checks_test.go tests these checks
// themselves.
//
// If chromium is missing the tests are skipped, unless REPSLAB_REQUIRE names chromium. Screenshots are
// artifacts of the tests: go test -artifacts keeps them. If REPSLAB_AXE names a copy of axe.min.js
// (package axe-core), the tests also check its rules.
package browser
