// The interface to the kernels: it advances them and keeps their results.

// The comment of program kernels describes the layout of the data that advance writes.
const head = 5, mostBins = 256, chunk = 64;
const words = new Int32Array(head + 3 * mostBins + 6 * chunk);
const bytes = new Uint8Array(words.buffer);

export const lastRound = 100_000;

// kept holds the numbers of every round since round 0.
export const kept = {
  count: 0, most: 1,
  opsMax: new Int32Array(lastRound + 1), repsMax: new Int32Array(lastRound + 1),
  opsBalls: new Int32Array(lastRound + 1), repsBalls: new Int32Array(lastRound + 1),
  thrown: new Int32Array(lastRound + 1), random: new Int32Array(lastRound + 1), // by REPS since round 0
  opsMean: new Float32Array(lastRound + 1), repsMean: new Float32Array(lastRound + 1),
};

// seen is the last round, from which the pictures are drawn.
export const seen = {
  kept, round: 0, tau: 1, status: 0, since: 0, n: 1, ops: [], reps: [], every: [], axis: 1, changes: [],
};

// open begins a view at round 0 and returns its faults.
export function open(text) {
  const fault = repslab.open(text);
  if (fault === '') {
    kept.count = 0;
    kept.most = 1;
    seen.axis = 1;
    advance(0);
  }
  return fault;
}

// changesOf returns the changes of ports of a view's text, for the picture.
export function changesOf(text) {
  const ports = new URLSearchParams(text).get('ports');
  return ports === null ? [] : ports.split(',').map(change => {
    const [, port, every, round] = change.match(/^(\d+)x(\d+)@(\d+)$/);
    const what = { 0: 'broken', 1: 'whole' }[every] ?? '1/' + every;
    return { round: Number(round), text: `port ${port} ${what}` };
  });
}

// advance runs rounds, at most one chunk, and returns their number. Chunks are smaller the more ports
// there are.
export function advance(rounds) {
  const done = repslab.advance(Math.min(rounds, Math.ceil(chunk * 16 / (seen.n + 16))), bytes);
  [seen.round, seen.tau, seen.status, seen.since, seen.n] = words;
  const n = seen.n;
  seen.ops = words.subarray(head, head + n);
  seen.reps = words.subarray(head + n, head + 2 * n);
  seen.every = words.subarray(head + 2 * n, head + 3 * n);
  let at = head + 3 * n;
  for (let i = 0; i < done; i++, at += 6) {
    const round = ++kept.count;
    kept.opsMax[round] = words[at];
    kept.repsMax[round] = words[at + 1];
    kept.opsBalls[round] = words[at + 2];
    kept.repsBalls[round] = words[at + 3];
    kept.thrown[round] = words[at + 4];
    kept.random[round] = words[at + 5];
    kept.opsMean[round] = words[at + 2] / n;
    kept.repsMean[round] = words[at + 3] / n;
    kept.most = Math.max(kept.most, words[at], words[at + 1]);
  }
  return done;
}

// randomShare returns the share of random throws of REPS in the last 200 rounds.
export function randomShare() {
  const last = kept.count, first = Math.max(0, last - 200);
  return last === 0 ? 0 : (kept.random[last] - kept.random[first]) / Math.max(1, kept.thrown[last] - kept.thrown[first]);
}
