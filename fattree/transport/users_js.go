package transport

// users holds nothing on the live page, see check.
type users struct{}

// check finds nothing: the live page runs balancers of package balance alone, and has no room for the search.
func (*Run) check(Balancer, Control) error { return nil }
