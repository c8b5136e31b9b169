package fattree

// checkWiring trusts the topologies of the live page, all of them from package topology: the page has no room for more.
func (*Network) checkWiring(bool) error { return nil }

// misfit likewise.
func (*Wiring) misfit(*Switch, []Port) error { return nil }
