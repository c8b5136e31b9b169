// The page: controls, the address, and the loop of frames.
import * as draw from './draw.js';
import * as save from './save.js';
import * as run from './run.js';
import * as words from './words.js';
import { load } from './load.js';

const { seen, kept } = run;
const element = id => document.getElementById(id);
const form = element('controls');
const numbers = ['bins', 'threshold', 'lambda', 'seed', 'colors_per_bin', 'delay', 'ack_ratio'];
const defaults = { bins: '32', lambda: '1', seed: '1', delay: '0', ack_ratio: '1', clocking: 'self-clocked', speed: '200' };
const variants = {
  'self-clocked': [['every-rth-round', 'every r-th round']],
  'round-robin': [['standard', 'standard'], ['carry', 'carry EVs'], ['reuse', 'reuse EVs']],
};
variants['per-flow'] = variants['round-robin'];

// state is what the kernels do not know.
const state = { playing: false, speed: 200, target: 0, carry: 0, before: 0, dirty: true, told: 0, saved: 0, frames: [], parameters: {} };

// speeds are 10^0 to 10^4 rounds a second on a slider of 100 steps.
const speedOf = step => Math.round(10 ** (step / 25));
const stepOf = speed => Math.round(25 * Math.log10(speed));

// viewText returns the text of what is seen now.
function viewText() {
  const view = new URLSearchParams(repslab.view());
  setPace(view);
  return plain(view);
}

// setPace sets what the kernels do not know of a view: speed and pause.
function setPace(view) {
  set(view, 'speed', String(state.speed));
  view.delete('paused');
  if (!state.playing) {
    view.set('paused', '1');
  }
}

// set sets a value, or deletes it where it is the default.
function set(view, key, value) {
  value === '' || value === defaults[key] ? view.delete(key) : view.set(key, value);
}

// plain joins keys and values as they are: none needs an escape.
const plain = view => [...view].map(pair => pair.join('=')).join('&');

// writeAddress puts what is seen into the address.
function writeAddress() {
  history.replaceState(null, '', '#' + viewText());
}

// open begins the view of a text and goes on to its round.
function open(text) {
  const fault = run.open(text);
  element('error').textContent = fault;
  element('error').hidden = fault === '';
  if (fault !== '') {
    return false;
  }
  const view = new URLSearchParams(text), get = key => view.get(key) ?? defaults[key];
  state.target = Number(view.get('round') ?? 0);
  state.playing = !view.has('paused');
  state.speed = Number(get('speed'));
  state.carry = 0;
  state.parameters = { clocking: get('clocking'), lambda: Number(get('lambda')), ratio: Number(get('ack_ratio')) };
  seen.changes = run.changesOf(text);
  fill(view);
  state.dirty = true;
  return true;
}

// fill writes a view's parameters into the controls.
function fill(view) {
  for (const key of [...numbers, 'clocking']) {
    form.elements[key].value = view.get(key) ?? defaults[key] ?? '';
  }
  element('speed').value = stepOf(state.speed);
  showSpeed();
  const variant = form.elements.ack_variant, { clocking, ratio } = state.parameters;
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

function showSpeed() {
  const text = state.speed.toLocaleString('en') + ' rounds/s';
  element('speed-text').textContent = text;
  element('speed').setAttribute('aria-valuetext', text);
}

// showPort shows how often the chosen port serves.
function showPort() {
  const every = String(seen.every[Number(element('port').value)] ?? 1), choices = element('every');
  if (![...choices.options].some(option => option.value === every)) {
    choices.add(new Option(`every ${every} rounds`, every)); // an address may ask for any number
  }
  choices.value = every;
}

// restart begins a new run by the controls, with the ports as they are.
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
  // What plays no part is no part of the address.
  const idle = { lambda: ratio !== '1', delay: ratio !== '1' || clocking !== 'per-flow', colors_per_bin: clocking !== 'round-robin' };
  Object.keys(idle).filter(key => idle[key]).forEach(key => view.delete(key));
  const ports = (view.get('ports') ?? '').split(',').filter(change => parseInt(change) < Number(form.elements.bins.value));
  set(view, 'ports', ports.join());
  setPace(view);
  if (open(plain(view))) {
    writeAddress();
  }
}

// clickPort breaks the port whose bar is clicked, or mends it.
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

function play(on) {
  state.playing = on;
  element('play').textContent = on ? 'Pause' : 'Run';
}

// budget is the time that the rounds of a frame may take, in milliseconds.
const budget = 4;

// advance runs rounds until they are done or the time is up.
function advance(rounds) {
  const start = performance.now();
  while (rounds > 0) {
    const done = run.advance(rounds);
    if (done === 0) {
      play(false); // the last round
      return;
    }
    rounds -= done;
    state.dirty = true;
    if (performance.now() - start > budget) {
      return;
    }
  }
}

// frame is called before each picture of the screen.
function frame(now) {
  const start = performance.now(), passed = Math.min(now - state.before, 100);
  state.before = now;
  const catching = seen.round < state.target;
  if (catching) {
    advance(state.target - seen.round);
  } else if (state.playing) {
    state.carry += state.speed * passed / 1000;
    const rounds = Math.floor(state.carry);
    state.carry -= rounds;
    advance(rounds);
  }
  if (state.dirty) {
    state.dirty = false;
    drawAll();
  }
  tell(now);
  if (state.playing && !catching) {
    state.frames.push(performance.now() - start);
  }
  requestAnimationFrame(frame);
}

const dark = matchMedia('(prefers-color-scheme: dark)');

// context returns a canvas's context, as fine as the screen, and its size.
function context(canvas) {
  const ratio = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const ctx = canvas.getContext('2d');
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  return [ctx, width, height];
}

function drawAll() {
  const theme = dark.matches ? draw.dark : draw.light;
  let most = 0;
  for (const loads of [seen.ops, seen.reps]) {
    for (const load of loads) {
      most = Math.max(most, load);
    }
  }
  seen.axis = Math.max(seen.axis, draw.top(seen.tau, most)); // an axis that shrinks again distracts
  draw.bars(...context(element('ops')), theme, { ...seen, loads: seen.ops, color: theme.ops, over: theme.over });
  draw.bars(...context(element('reps')), theme, { ...seen, loads: seen.reps, color: theme.reps, over: theme.overReps });
  draw.history(...context(element('history')), theme, seen);
  say('ops-text', words.caption(seen.ops, false));
  say('reps-text', words.caption(seen.reps, true));
  say('round', seen.round < state.target ? `Going to round ${state.target.toLocaleString('en')}` : `Round ${seen.round.toLocaleString('en')}`);
}

// tell writes the status, which screen readers read out, a few times a second, and the
// address every second.
function tell(now) {
  const still = !state.playing && seen.round >= state.target;
  if (now - state.told < (still ? 50 : 200)) {
    return;
  }
  state.told = now;
  say('status', words.status(state.parameters));
  if (state.playing && now - state.saved > 1000) {
    state.saved = now;
    if (seen.round >= state.target) {
      writeAddress();
    }
    const sorted = [...state.frames].sort((a, b) => a - b);
    state.frames = state.frames.slice(-300);
    if (sorted.length >= 10) {
      say('work', `${sorted[sorted.length >> 1].toFixed(1)} ms (median of ${sorted.length})`);
    }
  }
}

function say(id, text) {
  if (element(id).textContent !== text) {
    element(id).textContent = text;
  }
}

// listen connects the controls.
function listen() {
  element('play').addEventListener('click', () => {
    play(!state.playing);
    writeAddress();
  });
  element('step').addEventListener('click', () => {
    play(false);
    advance(1);
    writeAddress();
  });
  element('restart').addEventListener('click', restart);
  element('speed').addEventListener('input', () => {
    state.speed = speedOf(Number(element('speed').value));
    showSpeed();
  });
  element('speed').addEventListener('change', writeAddress);
  form.addEventListener('submit', event => event.preventDefault());
  form.addEventListener('change', event => event.target.name && restart());
  element('port').addEventListener('input', showPort);
  element('every').addEventListener('change', changePort);
  for (const id of ['ops', 'reps']) {
    element(id).addEventListener('click', clickPort);
  }
  element('png').addEventListener('click', () => save.png(seen, words.parameters(viewText(), state.parameters), 'repslab'));
  element('csv-rounds').addEventListener('click', () => save.csv(save.roundsTable(kept), 'repslab-rounds'));
  element('csv-ports').addEventListener('click', () => save.csv(save.portsTable(seen), 'repslab-ports'));
  const redraw = () => { state.dirty = true; };
  dark.addEventListener('change', redraw);
  new ResizeObserver(redraw).observe(element('views'));
  addEventListener('hashchange', openAddress);
  for (const button of document.querySelectorAll('button')) {
    button.disabled = false;
  }
}

// openAddress opens what the address says, or, if that is at fault, says so over
// the default view.
function openAddress() {
  let text = location.hash.slice(1);
  try {
    text = decodeURIComponent(text);
  } catch {
    // An escape that is none: the kernels say what is wrong with it.
  }
  const fault = open(text) ? '' : element('error').textContent;
  if (fault !== '') {
    open('paused=1');
    element('error').textContent = fault;
    element('error').hidden = false;
  }
  play(state.playing && !(text === '' && matchMedia('(prefers-reduced-motion: reduce)').matches));
}

try {
  await load(text => say('round', text));
  listen();
  openAddress();
  requestAnimationFrame(frame);
} catch (fault) {
  say('round', 'The page cannot run: ' + fault.message);
}
