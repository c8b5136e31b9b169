// Package player makes a page that shows the events of connections one by one.
//
// [Read] reads the events that `repslab fattree --events` has written and checks every cell.
// [Events.Page] puts them into a page that is one file: opened in a browser it plays a flow's events. It
// shows the flow's ring of entropy values, the packets in flight over the uplinks, and the packets
// recently sent over each uplink. Readers can search for packets, EVs and kinds of events, and go from an
// ACK to the packet sent and to the next use of its EV.
//
// The page holds the events as columns in JSON, compressed by gzip and written in base64. They take about
// a sixth of the size of the CSV file, and no text of the file can end an element or begin a script. The
// security policy of the page allows only its own style and script, and no network access.
//
// events.js holds pure functions that compute the state to show after an event. page.js draws and handles
// input. tools/browser tests both in a browser against the columns of the file.
package player
