// The border to the kernels of the network: advances them, reads what they give.

// The layout of what advance writes is in kernels/network.go.
const words = new Int32Array(4096), bytes = new Uint8Array(words.buffer);
const chunk = 8; // slots in a call

// seen is the network at a slot. Ports are those of the cables up, those down, those to hosts.
export const seen = { slot: 0, slotPs: 1, window: 1, tors: 1, uplinks: 1, hosts: 0, flows: 0, broken: [], sources: [], sides: [] };

// time returns the time of the slot in microseconds.
export const time = () => seen.slot * seen.slotPs / 1e6;

// advance runs slots, at most a chunk, and returns how many.
export function advance(slots) {
  const done = repslab.network.advance(Math.min(slots, chunk), bytes);
  if (typeof done === 'string') {
    throw new Error(done);
  }
  let at = 7;
  const next = length => words.subarray(at, at += length);
  [seen.slot, seen.slotPs, seen.window, seen.tors, seen.uplinks, seen.hosts, seen.flows] = words;
  const cables = seen.tors * seen.uplinks, ports = 2 * cables + seen.hosts;
  seen.broken = next(cables);
  seen.sources = next(seen.flows);
  seen.sides = [0, 1].map(() => {
    const [sent, again, lost, trimmed, recycled, rerouteNs, longest, frozen] = next(8);
    return { sent, again, lost, trimmed, recycled, rerouteNs, longest, frozen, load: next(ports), queue: next(ports), ends: next(seen.flows) };
  });
  return done;
}

// open begins a view at slot 0 and returns its faults.
export function open(text) {
  const fault = repslab.network.open(text);
  if (fault === '') {
    advance(0);
  }
  return fault;
}
