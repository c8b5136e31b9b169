// The page of a switch.
import * as draw from './draw.js';
import * as save from './save.js';
import * as run from './run.js';
import * as words from './words.js';
import { element, form, state, say, set, paint, viewText, writeAddress, reopen, plain, start } from './shell.js';

const { seen, kept } = run;
const numbers = ['bins', 'threshold', 'lambda', 'seed', 'colors_per_bin', 'delay', 'ack_ratio'];
const defaults = { bins: '32', lambda: '1', seed: '1', delay: '0', ack_ratio: '1', clocking: 'self-clocked', speed: '200' };
const variants = {
  'self-clocked': [['every-rth-round', 'every r-th round']],
  'round-robin': [['standard', 'standard'], ['carry', 'carry EVs'], ['reuse', 'reuse EVs']],
};
variants['per-flow'] = variants['round-robin'];
let parameters = {};

// opened shows a view's parameters.
function opened(view, text) {
  const get = key => view.get(key) ?? defaults[key];
  parameters = { clocking: get('clocking'), lambda: Number(get('lambda')), ratio: Number(get('ack_ratio')) };
  seen.changes = run.changesOf(text);
  for (const key of [...numbers, 'clocking']) {
    form.elements[key].value = get(key) ?? '';
  }
  const variant = form.elements.ack_variant, { clocking, ratio } = parameters;
  variant.replaceChildren(...variants[clocking].map(([value, text]) => new Option(text, value)));
  variant.value = view.get('ack_variant') ?? variants[clocking][0][0];
  variant.disabled = ratio === 1;
  form.elements.lambda.disabled = ratio > 1;
  form.elements.colors_per_bin.disabled = clocking !== 'round-robin';
  form.elements.delay.disabled = clocking !== 'per-flow' || ratio > 1;
  const [tau, colors] = repslab.theorem(plain(view));
  form.elements.threshold.placeholder = `${tau}, 4 ln n`;
  form.elements.colors_per_bin.placeholder = `${colors}, 2.4 ln n`;
  element('clocking-text').textContent = words.clockings[clocking];
  element('port').max = seen.n - 1;
  showPort();
}

// showPort shows how often the chosen port serves.
function showPort() {
  const every = String(seen.every[Number(element('port').value)] ?? 1), choices = element('every');
  if (![...choices.options].some(option => option.value === every)) {
    choices.add(new Option(`every ${every} rounds`, every)); // the address may have any number
  }
  choices.value = every;
}

// restart begins a new run with the values of the controls and the ports as they are.
function restart() {
  const view = new URLSearchParams(repslab.restarted());
  const clocking = form.elements.clocking.value, ratio = form.elements.ack_ratio.value;
  for (const key of [...numbers, 'clocking', 'ack_variant']) {
    set(view, key, form.elements[key].value);
  }
  const [first, ...others] = variants[clocking].map(([value]) => value);
  if (ratio === '1' || view.get('ack_variant') === first || !others.includes(view.get('ack_variant'))) {
    view.delete('ack_variant');
  }
  // Parameters without effect are left out of the address.
  const idle = { lambda: ratio !== '1', delay: ratio !== '1' || clocking !== 'per-flow', colors_per_bin: clocking !== 'round-robin' };
  Object.keys(idle).filter(key => idle[key]).forEach(key => view.delete(key));
  const ports = (view.get('ports') ?? '').split(',').filter(change => parseInt(change) < Number(form.elements.bins.value));
  set(view, 'ports', ports.join());
  reopen(view);
}

// clickPort breaks or repairs the port of the bar that was clicked.
function clickPort(event) {
  const port = draw.portAt(event.offsetX, event.target.clientWidth, seen.n);
  if (port >= 0) {
    element('port').value = port;
    element('every').value = seen.every[port] === 1 ? '0' : '1';
    changePort();
  }
}

// changePort makes a port slow, broken or whole from the next round on.
function changePort() {
  if (!element('port').checkValidity() || element('port').value === '') {
    return showPort();
  }
  state.target = 0;
  if (repslab.setPort(Number(element('port').value), Number(element('every').value))) {
    run.advance(0);
    seen.changes = run.changesOf(repslab.view());
    state.dirty = true;
    writeAddress();
  }
  showPort();
}

// parts lists the pictures of the page and their places in a saved picture.
const parts = [
  { id: 'ops', left: 20, upper: 82, wide: 570, high: 320, paint: (ctx, width, height, theme) => draw.bars(ctx, width, height, theme, { ...seen, loads: seen.ops, color: theme.ops, over: theme.over }) },
  { id: 'reps', left: 620, upper: 82, wide: 570, high: 320, paint: (ctx, width, height, theme) => draw.bars(ctx, width, height, theme, { ...seen, loads: seen.reps, color: theme.reps, over: theme.overReps }) },
  { id: 'history', left: 20, upper: 452, wide: 1170, high: 315, paint: (ctx, width, height, theme) => draw.history(ctx, width, height, theme, seen) },
];

function drawAll() {
  let most = 0;
  for (const loads of [seen.ops, seen.reps]) {
    for (const load of loads) {
      most = Math.max(most, load);
    }
  }
  seen.axis = Math.max(seen.axis, draw.top(seen.tau, most)); // an axis that shrinks again distracts
  paint(parts);
  say('ops-text', words.caption(seen.ops, false));
  say('reps-text', words.caption(seen.reps, true));
  say('round', seen.round < state.target ? `Going to round ${state.target.toLocaleString('en')}` : `Round ${seen.round.toLocaleString('en')}`);
}

// listen connects the controls of ports and files.
function listen() {
  element('port').addEventListener('input', showPort);
  element('every').addEventListener('change', changePort);
  for (const id of ['ops', 'reps']) {
    element(id).addEventListener('click', clickPort);
  }
  element('png').addEventListener('click', () => save.png(parts, words.parameters(viewText(), parameters), 'repslab'));
  element('csv-rounds').addEventListener('click', () => save.csv(save.roundsTable(kept), 'repslab-rounds'));
  element('csv-ports').addEventListener('click', () => save.csv(save.portsTable(seen), 'repslab-ports'));
}

start({
  unit: 'rounds', key: 'round', defaults, budget: 4, kernels: () => repslab, at: () => seen.round,
  open: run.open, advance: run.advance, opened, restart, draw: drawAll, listen,
  tell: () => say('status', words.status(parameters)),
});
