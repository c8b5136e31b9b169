//go:build !(linux && amd64)

package largepages

// Take does nothing: it has not been tried on other systems.
func Take(int) {}
