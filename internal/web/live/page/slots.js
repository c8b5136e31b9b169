// The interface to the kernels of the network: it advances them and reads their results.

// kernels/network.go describes the layout of the data that advance writes.
const words = new Int32Array(4096), bytes = new Uint8Array(words.buffer);
const chunk = 8; // most slots in a call

const packetBits = 8 * 4150;

// seen is the network at a slot. Ports are listed in this order: up, down, to hosts.
export const seen = { slot: 0, slotPs: 1, window: 1, tors: 1, uplinks: 1, hosts: 0, flows: 0, broken: [], sources: [], sides: [] };

// kept holds the numbers of every window since slot 0, for each load balancer: the throughput in Gb/s,
// and at the end of the window the numbers of packets lost, packets arrived and flows finished.
export const kept = { count: 0, throughput: [], lost: [], arrived: [], finished: [] };

// time returns the time of the slot in microseconds.
export const time = () => seen.slot * seen.slotPs / 1e6;

// keep notes the window that ends with this slot.
function keep() {
  const at = ++kept.count;
  seen.sides.forEach((side, i) => {
    kept.lost[i][at] = side.lost;
    kept.arrived[i][at] = side.arrived;
    kept.finished[i][at] = side.finished;
    kept.throughput[i][at] = 1000 * packetBits * (side.arrived - kept.arrived[i][at - 1]) / (seen.window * seen.slotPs);
  });
}

// advance runs slots, at most a chunk and not beyond the end of a window, and returns their number.
export function advance(slots) {
  const done = repslab.network.advance(Math.min(slots, chunk, seen.window - seen.slot % seen.window), bytes);
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
    const [sent, again, lost, arrived, recycled, rerouteNs, longest, frozen, finished, tookNs] = next(10);
    return {
      sent, again, lost, arrived, recycled, rerouteNs, longest, frozen, finished, tookNs,
      load: next(ports), queue: next(ports), ends: next(seen.flows),
    };
  });
  if (done > 0 && seen.slot % seen.window === 0) {
    keep();
  }
  return done;
}

// open begins a view at slot 0 and returns its faults.
export function open(text) {
  const fault = repslab.network.open(text);
  if (fault === '') {
    kept.count = 0;
    for (const values of [kept.throughput, kept.lost, kept.arrived, kept.finished]) {
      values.splice(0, 2, [0], [0]);
    }
    advance(0);
  }
  return fault;
}
