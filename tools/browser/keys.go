package browser

import "github.com/chromedp/chromedp/kb"

// Keys for [Page.Type] and [Page.Press] that have no character.
const (
	Home = kb.Home
	End  = kb.End
	Down = kb.ArrowDown
)
