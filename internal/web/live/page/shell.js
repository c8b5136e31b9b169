// The common part of both pages: the controls of a run, the address, and the loop of frames.
import * as draw from './draw.js';
import { load } from './load.js';

export const element = id => document.getElementById(id);
export const form = element('controls');
const dark = matchMedia('(prefers-color-scheme: dark)');

// state holds the state that the kernels do not know.
export const state = { playing: false, speed: 1, target: 0, carry: 0, before: 0, dirty: true, told: 0, saved: 0, frames: [] };

// page is one of the pages:
//
//	unit, key     of a step: rounds, and its key in an address
//	defaults      of the keys
//	budget        the time that the steps of a frame may take, in milliseconds
//	kernels()     the functions view and open of the kernels
//	at()          the step that is seen
//	advance(k)    run at most k steps and return how many; 0 after the last one
//	goesOn        whether a new run follows the last step
//	opened(view)  the view was opened
//	restart()     begin a new run by the controls
//	draw()        the picture and its captions
//	tell()        the status
//	listen()      to the page's own controls
let page;

// speeds are 10^0 to 10^4 steps a second on a slider of 100 steps.
const speedOf = step => Math.round(10 ** (step / 25));
const stepOf = speed => Math.round(25 * Math.log10(speed));

// viewText returns the text of the view that is shown now.
export function viewText() {
  const view = new URLSearchParams(page.kernels().view());
  setPace(view);
  return plain(view);
}

// setPace sets speed and pause, the parts of a view that the kernels do not know.
function setPace(view) {
  set(view, 'speed', String(state.speed));
  view.delete('paused');
  if (!state.playing) {
    view.set('paused', '1');
  }
}

// set sets a value, or deletes it if it is the default.
export function set(view, key, value) {
  value === '' || value === page.defaults[key] ? view.delete(key) : view.set(key, value);
}

// plain joins keys and values without escapes, since none needs any.
export const plain = view => [...view].map(pair => pair.join('=')).join('&');

// writeAddress puts the view that is shown into the address.
export function writeAddress() {
  history.replaceState(null, '', '#' + viewText());
}

// reopen begins a view anew, with the current speed and pause.
export function reopen(view) {
  setPace(view);
  if (open(plain(view))) {
    writeAddress();
  }
}

// renew begins a new run of the view that is shown, with the ports or links as they are.
export function renew() {
  reopen(new URLSearchParams(page.kernels().restarted()));
}

// open begins the view of a text and advances to its step.
function open(text) {
  const fault = page.open(text);
  element('error').textContent = fault;
  element('error').hidden = fault === '';
  if (fault !== '') {
    return false;
  }
  const view = new URLSearchParams(text);
  state.target = Number(view.get(page.key) ?? 0);
  state.playing = !view.has('paused');
  state.speed = Number(view.get('speed') ?? page.defaults.speed);
  state.carry = 0;
  page.opened(view, text);
  element('speed').value = stepOf(state.speed);
  showSpeed();
  state.dirty = true;
  return true;
}

function showSpeed() {
  const text = `${state.speed.toLocaleString('en')} ${page.unit}/s`;
  element('speed-text').textContent = text;
  element('speed').setAttribute('aria-valuetext', text);
}

function play(on) {
  state.playing = on;
  element('play').textContent = on ? 'Pause' : 'Run';
}

// advance runs steps until they are done or the time budget is used up.
function advance(steps) {
  const start = performance.now();
  while (steps > 0) {
    const done = page.advance(steps);
    if (done === 0) {
      page.goesOn && page.at() >= state.target ? renew() : play(false);
      state.target = 0;
      return;
    }
    steps -= done;
    state.dirty = true;
    if (performance.now() - start > page.budget) {
      return;
    }
  }
}

// frame is called before each picture of the screen.
function frame(now) {
  const start = performance.now(), passed = Math.min(now - state.before, 100);
  state.before = now;
  const catching = page.at() < state.target;
  if (catching) {
    advance(state.target - page.at());
  } else if (state.playing) {
    state.carry += state.speed * passed / 1000;
    const steps = Math.floor(state.carry);
    state.carry -= steps;
    advance(steps);
  }
  if (state.dirty) {
    state.dirty = false;
    page.draw();
  }
  tell(now);
  if (state.playing && !catching) {
    state.frames.push(performance.now() - start);
  }
  requestAnimationFrame(frame);
}

// context returns the context of a canvas, scaled to the resolution of the screen, and its size.
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

// paint draws the parts of a page on their canvases.
export function paint(parts) {
  const theme = dark.matches ? draw.dark : draw.light;
  parts.forEach(part => part.paint(...context(element(part.id)), theme));
}

// tell writes the status a few times a second, which screen readers read out, and the address every second.
function tell(now) {
  const still = !state.playing && page.at() >= state.target;
  if (now - state.told < (still ? 50 : 200)) {
    return;
  }
  state.told = now;
  page.tell();
  if (state.playing && now - state.saved > 1000) {
    state.saved = now;
    if (page.at() >= state.target) {
      writeAddress();
    }
    const sorted = [...state.frames].sort((a, b) => a - b);
    state.frames = state.frames.slice(-300);
    if (sorted.length >= 10) {
      say('work', `${sorted[sorted.length >> 1].toFixed(1)} ms (median of ${sorted.length})`);
    }
  }
}

export function say(id, text) {
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
  element('restart').addEventListener('click', page.restart);
  element('speed').addEventListener('input', () => {
    state.speed = speedOf(Number(element('speed').value));
    showSpeed();
  });
  element('speed').addEventListener('change', writeAddress);
  form.addEventListener('submit', event => event.preventDefault());
  form.addEventListener('change', event => event.target.name && page.restart());
  page.listen();
  const redraw = () => { state.dirty = true; };
  dark.addEventListener('change', redraw);
  new ResizeObserver(redraw).observe(element('views'));
  addEventListener('hashchange', openAddress);
  for (const button of document.querySelectorAll('button')) {
    button.disabled = false;
  }
}

// openAddress opens the view of the address. If the address has faults, it opens the default view and
// reports them.
function openAddress() {
  let text = location.hash.slice(1);
  try {
    text = decodeURIComponent(text);
  } catch {
    // An invalid escape: the kernels report what is wrong with it.
  }
  const fault = open(text) ? '' : element('error').textContent;
  if (fault !== '') {
    open('paused=1');
    element('error').textContent = fault;
    element('error').hidden = false;
  }
  play(state.playing && !(text === '' && matchMedia('(prefers-reduced-motion: reduce)').matches));
}

// start loads the kernels and runs a page.
export async function start(which) {
  page = which;
  try {
    await load(text => say('round', text));
    listen();
    openAddress();
    requestAnimationFrame(frame);
  } catch (fault) {
    say('round', 'The page cannot run: ' + fault.message);
  }
}
