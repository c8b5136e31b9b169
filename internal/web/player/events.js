'use strict';
// Functions that compute the state to show after an event from the columns of a flow. An event is
// identified by its index i in the columns; -1 means none. Only link and linkFlights change something:
// they add columns.

const leaves = (flow, i) => ['send', 'resend', 'request', 'probe'].includes(flow.event[i]);
const answers = (flow, i) => ['ack', 'nack', 'timeout', 'reply'].includes(flow.event[i]);

// link returns a flow with columns that lead from event to event:
//
//	sent     of an answer, the event in which its packet left: the last one with the EV of the answer, if any
//	answer   of what left, the first answer to it
//	next     the next event in which something leaves with the EV of the event
//	until    of a packet that left, the event with which it is no longer in flight; the number of events if none
//	flying   the number of packets in flight after the event, as far as the file tells
//
// and with its span, twice the median time until an ACK, in microseconds.
function link(flow) {
  const count = flow.event.length, none = () => new Int32Array(count).fill(-1), uses = new Map(); // uses of EVs
  const linked = { ...flow, sent: none(), answer: none(), next: none(), until: none().fill(count), flying: none() };
  linkAnswers(linked);
  linkFlights(linked);
  for (let i = count - 1; i >= 0; i--) {
    linked.next[i] = uses.get(flow.ev[i]) ?? -1;
    leaves(flow, i) && uses.set(flow.ev[i], i);
  }
  const times = flow.rtt_us.filter(us => us > 0).sort((a, b) => a - b);
  linked.span = 2 * times[times.length >> 1] || 10;
  return linked;
}

function linkAnswers(flow) {
  const copies = new Map(); // by packet: the events in which it left
  flow.packet.forEach((packet, i) => {
    if (leaves(flow, i)) {
      copies.has(packet) ? copies.get(packet).push(i) : copies.set(packet, [i]);
    } else if (answers(flow, i) && copies.has(packet)) {
      const at = flow.sent[i] = copies.get(packet).findLast(j => flow.ev[j] === flow.ev[i]) ?? copies.get(packet).at(-1);
      flow.answer[at] = flow.answer[at] < 0 ? i : flow.answer[at];
    }
  });
}

// linkFlights follows the packets in flight. An ACK can report other packets besides its own, which shows
// only in in_flight. These are assumed to be the packets with the next ACKs, or the oldest packets
// without an answer.
function linkFlights(flow) {
  const flying = new Map(), count = flow.event.length; // by packet: the event in which it left last
  const land = (packet, i) => {
    flow.until[flying.get(packet)] = i;
    flying.delete(packet);
  };
  const rank = j => flow.answer[j] < 0 ? count + j : flow.event[flow.answer[j]] === 'ack' ? flow.answer[j] : 2 * count + j;
  flow.packet.forEach((packet, i) => {
    if (packet !== null) {
      flying.has(packet) && land(packet, i);
      leaves(flow, i) && flying.set(packet, i);
    }
    if (flying.size > flow.in_flight[i]) {
      const reported = [...flying].sort((a, b) => rank(a[1]) - rank(b[1])).slice(0, flying.size - flow.in_flight[i]);
      reported.forEach(([other]) => land(other, i));
    }
    flow.flying[i] = flying.size;
  });
}

// flightAt returns the events in which the packets in flight after event i left, the oldest first.
function flightAt(flow, i) {
  const list = [];
  for (let j = i; list.length < flow.flying[i]; j--) {
    leaves(flow, j) && flow.packet[j] !== null && flow.until[j] > i && list.push(j);
  }
  return list.reverse();
}

// ringAt returns the slots of the ring after event i.
function ringAt(flow, i) {
  return (flow.slots[i] ?? '').split(' ').filter(Boolean).map(slot => ({ ev: Number(slot.split(':')[0]), valid: slot.endsWith(':1') }));
}

// lastAt returns the last event of a flow up to a time, or -1 if there is none.
function lastAt(flow, time) {
  let low = 0, high = flow.time_us.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    flow.time_us[middle] <= time ? low = middle + 1 : high = middle;
  }
  return low - 1;
}

// uplinkOf returns the uplink of an event, the first choice of its path.
const uplinkOf = (flow, i) => flow.path[i]?.split('/')[0] ?? 'any';

// uplinksOf returns the uplinks of flows in the order of their numbers.
function uplinksOf(flows) {
  return [...new Set(flows.flatMap(flow => flow.path.map((_, i) => leaves(flow, i) ? uplinkOf(flow, i) : null)))]
    .filter(uplink => uplink !== null).sort((a, b) => a - b);
}

// loadsAt counts, by uplink, the packets that flows sent in the last us microseconds before event i of
// flow.
function loadsAt(flows, flow, i, us) {
  const loads = {}, time = flow.time_us[i];
  for (const other of flows) {
    for (let j = other === flow ? i : lastAt(other, time); j >= 0 && other.time_us[j] > time - us; j--) {
      if (leaves(other, j) && other.packet[j] !== null) {
        loads[uplinkOf(other, j)] = (loads[uplinkOf(other, j)] ?? 0) + 1;
      }
    }
  }
  return loads;
}

// find returns the next event that a text describes, or with a step of -1 the previous one. The text is
// the number of a packet, "ev" and an EV, or a kind of event. The search wraps around, and returns -1 if
// there is no such event.
function find(flow, text, from, step) {
  const words = text.trim().toLowerCase().split(/\s+/), value = Number(words.at(-1) || NaN), count = flow.event.length;
  const [column, wanted] = Number.isNaN(value) ? ['event', words[0]] : [words[0] === 'ev' ? 'ev' : 'packet', value];
  for (let k = 1; k <= count; k++) {
    const i = (from + step * k + count) % count;
    if (flow[column][i] === wanted) {
      return i;
    }
  }
  return -1;
}

// afterPackets returns the event after i with which the given number of packets have left, or the last
// event.
function afterPackets(flow, i, packets) {
  while (packets > 0 && i < flow.event.length - 1) {
    packets -= leaves(flow, ++i) && flow.packet[i] !== null ? 1 : 0;
  }
  return i;
}

// nameOf returns the name of one of the flows: its number, and the parameters in which flows differ,
// short keys first.
function nameOf(flow, flows) {
  const own = flow.parameters.filter(text => !flows.every(other => other.parameters.includes(text)));
  return [`flow ${flow.number}`, ...own.sort((a, b) => a.indexOf('=') - b.indexOf('='))].join(', ');
}

// say describes event i in a sentence.
function say(flow, i) {
  const marks = { true: 'marked', false: 'not marked', null: null };
  const parts = [['packet', flow.packet[i]], ['EV', flow.ev[i]], ['path', flow.path[i]], ['from', flow.ev_source[i]],
    ['', marks[flow.marked[i]]], ['round trip µs', flow.rtt_us[i]]].filter(([, value]) => value !== null);
  return [`${flow.time_us[i]} µs: ${flow.event[i]}`, ...parts.map(part => part.join(' ').trim())].join(', ');
}
