// What the page says in words.
import { seen, kept, lastRound, randomShare } from './run.js';

export const clockings = {
  'self-clocked': 'What the paper proves: a port that sends a packet gets one at once. From a port below the threshold it comes back, from a long queue it goes anywhere.',
  'round-robin': 'What the paper describes: n packets come in every round, colour after colour, each into the port that it remembers. An idle port is never made up for, so packets only gather.',
  'per-flow': 'REPS itself: n senders, each with a ring of 8 ports that were good. Nothing is ever settled, but queues stay short.',
};

const statuses = { running: 0, converged: 1, certified: 2 };
const count = number => number.toLocaleString('en');

// caption describes the queues of one switch.
export function caption(loads, reps) {
  const n = loads.length, round = kept.count;
  let most = 0, over = 0;
  for (const load of loads) {
    most = Math.max(most, load);
    over += load > seen.tau ? 1 : 0;
  }
  const mean = round === 0 ? 0 : (reps ? kept.repsMean : kept.opsMean)[round];
  const thrown = reps ? `, ${Math.round(100 * randomShare())} % at random` : '';
  return `longest ${count(most)}, mean ${mean.toFixed(1)}, ${over} of ${n} above τ${thrown}`;
}

// parameters returns a line under a picture, with the address's fragment.
export function parameters(text, { clocking, lambda, ratio }) {
  const acks = ratio === 1 ? '' : `, one ACK for ${ratio} packets`;
  return `n = ${seen.n} ports, threshold τ = ${seen.tau}, load λ = ${lambda}, ${clocking}${acks}    #${text}`;
}

// capacity returns the packets that the ports send in a round, at most.
function capacity() {
  let sum = 0;
  for (const every of seen.every) {
    sum += every === 0 ? 0 : 1 / every;
  }
  return sum;
}

// status says what is known of the run.
export function status(parameters) {
  const { clocking, lambda } = parameters, balls = kept.repsBalls[kept.count];
  const parts = [];
  if (seen.status === statuses.converged) {
    parts.push(clocking === 'round-robin'
      ? `REPS settled in round ${count(seen.since)}: every colour remembers its port for good.`
      : `REPS settled in round ${count(seen.since)}: no port is idle, none is above the threshold, and the queues stay as they are.`);
  } else if (seen.status === statuses.certified) {
    parts.push(`REPS can never settle, certified in round ${count(seen.since)}: the ${count(balls)} packets in its queues are more than n τ = ${count(seen.n * seen.tau)}, and they never get fewer.`);
  } else if (clocking === 'round-robin' && lambda === 1 && capacity() === seen.n && parameters.ratio === 1) {
    parts.push(`REPS has not settled: ${count(balls)} packets of the n τ = ${count(seen.n * seen.tau)} above which it never will.`);
  }
  const slow = [...seen.every.keys()].filter(port => seen.every[port] !== 1);
  for (const port of slow.slice(0, 3)) {
    const what = seen.every[port] === 0 ? 'is broken' : `serves every ${seen.every[port]} rounds`;
    parts.push(`Port ${port} ${what}: OPS has queued ${count(seen.ops[port])} packets there, REPS ${count(seen.reps[port])}.`);
  }
  if (clocking !== 'self-clocked' && capacity() < lambda * seen.n) {
    parts.push(`The ports send at most ${capacity().toFixed(1)} packets a round and ${(lambda * seen.n).toFixed(1)} come: some queue must grow. A lower load λ leaves REPS room to go round.`);
  }
  if (seen.round === lastRound) {
    parts.push(`A run ends at round ${count(lastRound)}; Restart begins another.`);
  }
  return parts.join(' ');
}
