// Package player answers one question: how does one look into a connection, event by event?
//
// [Read] reads the events that `repslab fattree --events` has written and checks every cell. [Events.Page] puts them
// into a page that is one file: opened in a browser it plays a flow's events. It shows the flow's ring of entropy
// values, the packets in flight over the uplinks, and the packets lately sent by uplink; it finds packets, EVs and
// kinds of events, and leads from an ACK to its send and to the next use of its EV.
//
// The page holds the events as JSON of columns, compressed by gzip and written in base64: they take about a sixth of
// the CSV file, and no text of the file can end an element or begin a script. The page's security policy allows its own
// style and script and no address.
//
// events.js holds the functions that compute what is shown after an event; they are pure. page.js draws, and listens
// to the reader. tools/browser tests both in a browser against the file's own columns.
package player
