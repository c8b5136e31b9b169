package endpoint

// None is no flow.
const None = -1

// Line is the line of a host's flows that want to send. An empty line has the Head None.
type Line struct {
	Head int32 // flow
	Tail *Turn // of the last flow
}

// Turn is a flow's place in the line of its host. The zero value stands in no line, and the value 1 is the last place;
// above it, the flow behind is the value minus 2.
type Turn int32

// Behind returns the flow behind a flow that stands in a line, or None.
func (t Turn) Behind() int32 { return int32(t) - 2 }

// Join puts a flow at the end of the line.
func (l *Line) Join(flow int32, t *Turn) {
	*t = 1
	if l.Head == None {
		l.Head = flow
	} else {
		*l.Tail = Turn(flow + 2)
	}
	l.Tail = t
}

// Leave takes the first flow, which has the given turn, out of the line.
func (l *Line) Leave(t *Turn) { l.Head, *t = t.Behind(), 0 }
