// The texts of the page.
import { seen, kept, lastRound, randomShare } from './run.js';

export const clockings = {
  'self-clocked': 'The process of the paper\'s proof: a port that sends a packet receives one at once. A packet from a queue below the threshold returns to its port; one from a longer queue goes to a random port.',
  'round-robin': 'The process of the paper\'s text: n packets arrive in every round, one colour after the other, each at the port that its colour remembers. An idle slot is lost for good, so the number of packets never falls.',
  'per-flow': 'REPS itself: n senders, each with a ring buffer of 8 ports that had short queues. It never converges, but queues stay short.',
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

// parameters returns the line under a picture, with the fragment of the address.
export function parameters(text, { clocking, lambda, ratio }) {
  const acks = ratio === 1 ? '' : `, one ACK for ${ratio} packets`;
  return `n = ${seen.n} ports, threshold τ = ${seen.tau}, load λ = ${lambda}, ${clocking}${acks}    #${text}`;
}

// capacity returns the largest number of packets that the ports can send in a round.
function capacity() {
  let sum = 0;
  for (const every of seen.every) {
    sum += every === 0 ? 0 : 1 / every;
  }
  return sum;
}

// status describes the state of the run.
export function status(parameters) {
  const { clocking, lambda } = parameters, balls = kept.repsBalls[kept.count];
  const parts = [];
  if (seen.status === statuses.converged) {
    parts.push(clocking === 'round-robin'
      ? `REPS converged in round ${count(seen.since)}: every colour keeps its port for good.`
      : `REPS converged in round ${count(seen.since)}: no port is idle, no queue is above the threshold, and the queues no longer change.`);
  } else if (seen.status === statuses.certified) {
    parts.push(`REPS will never converge, certified in round ${count(seen.since)}: its queues hold ${count(balls)} packets, more than n τ = ${count(seen.n * seen.tau)}, and that number never falls.`);
  } else if (clocking === 'round-robin' && lambda === 1 && capacity() === seen.n && parameters.ratio === 1) {
    parts.push(`REPS has not converged: its queues hold ${count(balls)} packets; above n τ = ${count(seen.n * seen.tau)} it never will.`);
  }
  const slow = [...seen.every.keys()].filter(port => seen.every[port] !== 1);
  for (const port of slow.slice(0, 3)) {
    const what = seen.every[port] === 0 ? 'has failed' : `serves every ${seen.every[port]} rounds`;
    parts.push(`Port ${port} ${what}: OPS has queued ${count(seen.ops[port])} packets there, REPS ${count(seen.reps[port])}.`);
  }
  if (clocking !== 'self-clocked' && capacity() < lambda * seen.n) {
    parts.push(`The ports send at most ${capacity().toFixed(1)} packets per round, but ${(lambda * seen.n).toFixed(1)} arrive: some queue must grow. At a lower load λ REPS can avoid the slow ports.`);
  }
  if (seen.round === lastRound) {
    parts.push(`The run ends at round ${count(lastRound)}; press Restart for a new one.`);
  }
  return parts.join(' ');
}
