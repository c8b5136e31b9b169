
// The page: it draws the state after an event and handles input.

const by = id => document.getElementById(id);
const state = { flows: [], flow: null, group: [], i: 0, playing: false, stop: 0, carry: 0, before: 0 };
const last = () => state.flow.event.length - 1;
const shapes = { ring: 'M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0', random: 'M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0', stale: 'M-4-4h8v8h-8z', other: 'M0-5l5 5l-5 5l-5-5z' };

// fill returns an element with attributes and children: of HTML by make, of SVG by draw.
function fill(e, attributes, children) {
  Object.entries(attributes).forEach(([key, value]) => e.setAttribute(key, value));
  e.append(...children.map(child => child ?? ''));
  return e;
}
const make = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
const draw = (name, attributes, ...children) => fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
const dot = (source, attributes) => {
  const shape = source in shapes ? source : 'other';
  return draw('path', { d: shapes[shape], class: shape, ...attributes });
};

// choose shows another flow, at the same time.
function choose(flow, time) {
  Object.assign(state, { flow, group: state.flows.filter(other => String(other.parameters) === String(flow.parameters)) });
  state.uplinks = uplinksOf(state.group);
  by('place').max = last();
  by('kinds').textContent = [...new Set(flow.event)].join(', ');
  by('sources').replaceChildren('EV from: ', ...[...new Set(flow.ev_source)].filter(Boolean).flatMap(source => [
    draw('svg', { viewBox: '-6 -6 12 12', 'aria-hidden': 'true' }, dot(source, {})), source]));
  drawCourse();
  go(lastAt(flow, time));
}

// go shows the state after an event.
function go(to) {
  const { flow } = state, i = state.i = Math.min(Math.max(to, 0), last());
  by('place').value = i;
  by('place').setAttribute('aria-valuetext', `event ${i + 1}, ${flow.time_us[i]} µs`);
  by('cursor').setAttribute('transform', `translate(${1000 * i / Math.max(1, last())})`);
  by('number').textContent = `${(i + 1).toLocaleString('en')} of ${flow.event.length.toLocaleString('en')}`;
  by('said').textContent = say(flow, i);
  ['sent', 'answer', 'next'].forEach(id => { by(id).disabled = flow[id][i] < 0; });
  [['window', flow.cwnd_packets[i].toFixed(1)], ['flight', flow.in_flight[i]], ['valid', flow.valid[i]]].forEach(([id, text]) => { by(id).textContent = text; });
  document.body.classList.toggle('is-frozen', flow.frozen[i]);
  by('ring').replaceChildren(...ringAt(flow, i).map(slot => make('li', { class: (slot.valid ? 'valid' : 'used') + (slot.ev === flow.ev[i] ? ' own' : '') },
    slot.ev, make('small', {}, slot.valid ? 'valid' : 'used'))));
  drawUplinks();
  drawLists();
}

function drawCourse() {
  const { flow } = state, most = flow.in_flight.reduce((a, b) => Math.max(a, b), 1), step = Math.max(1, last() / 1000);
  const x = i => (1000 * i / Math.max(1, last())).toFixed(1), points = [], frozen = [], losses = new Set();
  for (let at = 0; at <= last(); at += step) {
    const i = Math.round(at);
    points.push(`${x(i)},${(57 - 54 * flow.in_flight[i] / most).toFixed(1)}`);
    flow.frozen[i] && frozen.push(draw('rect', { x: x(i), width: 1000 * step / last() + 0.5, height: 60 }));
  }
  flow.event.forEach((kind, i) => ['nack', 'timeout'].includes(kind) && losses.add(x(i)));
  by('course').replaceChildren(...frozen, ...[...losses].map(at => draw('line', { x1: at, x2: at, y1: 44, y2: 60 })),
    draw('polyline', { points: points.join(' ') }), draw('line', { id: 'cursor', y2: 60 }));
}

function drawUplinks() {
  const { flow, i, uplinks } = state, { span } = flow, width = Math.max(240, by('uplinks').clientWidth), left = 32, room = 0.28 * width - 24, right = 0.72 * width - 30;
  const high = Math.min(44, Math.max(16, 240 / uplinks.length)), bottom = uplinks.length * high, flying = flightAt(flow, i);
  const x = age => left + (age > span ? 1 - 0.2 * span / age : 0.8 * age / span) * (right - left), y = uplink => high * (uplinks.indexOf(uplink) + 0.5);
  const loads = loadsAt(state.group, flow, i, Number(by('recent').value)), most = Math.max(1, ...Object.values(loads));
  const ticks = [0, span / 2, span].flatMap(age => [draw('line', { class: 'tick', x1: x(age), x2: x(age), y2: bottom }),
    draw('text', { class: 'soft', x: x(age), y: bottom + 15, 'text-anchor': 'middle' }, age.toFixed(1))]);
  const rails = uplinks.flatMap(uplink => {
    const at = y(uplink), sent = loads[uplink] ?? 0, long = sent / most * room;
    return [draw('line', { class: 'rail', x1: left, x2: right, y1: at, y2: at }), draw('text', { y: at + 4 }, uplink),
      draw('rect', { class: 'bar', x: right + 16, y: at - 5, width: long, height: 10 }), draw('text', { x: right + 20 + long, y: at + 4 }, sent)];
  });
  const dots = flying.flatMap(j => {
    const place = { transform: `translate(${x(flow.time_us[i] - flow.time_us[j])} ${y(uplinkOf(flow, j)) + (flow.packet[j] % 3 - 1) * high / 4})` };
    return [dot(flow.ev_source[j], place), ...flow.packet[j] === flow.packet[i] ? [draw('circle', { class: 'own', r: 8, ...place })] : []];
  });
  fill(by('uplinks'), { viewBox: `0 0 ${width} ${bottom + 20}`, 'aria-label': `${flying.length} packets in flight over ${uplinks.length} uplinks` }, [])
    .replaceChildren(...ticks, ...rails, ...dots, draw('text', { class: 'soft', x: width, y: bottom + 15, 'text-anchor': 'end' }, 'lately sent'));
  by('counted').textContent = flying.length === flow.in_flight[i] ? '' : ` The sender counts ${flow.in_flight[i]}: some left before the file begins, or an ACK reports several.`;
}

function drawLists() {
  const { flow, i } = state, first = Math.max(0, Math.min(i - 4, last() - 8)), row = (attributes, ...cells) => make('tr', attributes, ...cells.map(cell => make('td', {}, cell)));
  const near = flow.event.slice(first, first + 9).map((kind, k) => row({ 'data-event': first + k, ...first + k === i && { 'aria-current': 'true' } },
    flow.time_us[first + k].toFixed(3), kind, ...['packet', 'ev', 'path', 'ev_source'].map(key => flow[key][first + k])));
  const oldest = flightAt(flow, i).slice(0, 5).map(j => row({}, make('button', { 'data-event': j, 'aria-label': `packet ${flow.packet[j]}: to its send` }, flow.packet[j]),
    flow.ev[j], flow.path[j], (flow.time_us[i] - flow.time_us[j]).toFixed(3)));
  by('near').tBodies[0].replaceChildren(...near);
  by('oldest').tBodies[0].replaceChildren(...oldest);
}

// play goes on to an event, or ends.
function play(on, stop = last()) {
  Object.assign(state, { playing: on, stop, carry: 0, before: performance.now() });
  by('play').textContent = on ? 'Pause' : 'Play';
  by('said').setAttribute('aria-live', on ? 'off' : 'polite');
  on && requestAnimationFrame(frame);
}

function frame(now) {
  if (state.playing) {
    state.carry += Number(by('speed').value) * Math.min(Math.max(0, now - state.before), 1000) / 1000;
    const steps = Math.floor(state.carry);
    Object.assign(state, { before: now, carry: state.carry - steps });
    steps > 0 && go(Math.min(state.i + steps, state.stop));
    state.i < state.stop ? requestAnimationFrame(frame) : play(false);
  }
}

function jump(i) {
  play(false);
  go(i);
}

function search(step) {
  const at = find(state.flow, by('text').value, state.i, step);
  by('found').textContent = at < 0 ? 'not found' : '';
  at >= 0 && jump(at);
}

// commands holds the actions of the buttons by id. Keys press buttons.
const commands = {
  back: () => jump(state.i - 1), forward: () => jump(state.i + 1), before: () => search(-1), after: () => search(1),
  sent: () => jump(state.flow.sent[state.i]), answer: () => jump(state.flow.answer[state.i]), next: () => jump(state.flow.next[state.i]),
  play: () => {
    state.i === last() && go(0);
    play(!state.playing);
  },
  slow: () => {
    by('speed').value = '25';
    play(true, afterPackets(state.flow, state.i, 500));
  },
};
const keys = { ' ': 'play', s: 'sent', a: 'answer', n: 'next', m: 'slow', arrowleft: 'back', arrowright: 'forward' };

function press(event) {
  const typed = event.target.closest('select, #text'), key = event.key.toLowerCase(), ends = { home: 0, end: last() };
  if (typed || event.ctrlKey || event.altKey || event.metaKey || key === ' ' && event.target.closest('button')) {
    typed === by('text') && key === 'enter' && search(event.shiftKey ? -1 : 1);
    return;
  }
  key in keys && (event.shiftKey && key.startsWith('arrow') ? jump(state.i + (key === 'arrowleft' ? -100 : 100)) : by(keys[key]).click());
  key in ends && jump(ends[key]);
  key === '/' && by('text').focus();
  [' ', '/'].includes(key) || key in ends || key.startsWith('arrow') ? event.preventDefault() : undefined;
}

function listen() {
  Object.entries(commands).forEach(([id, run]) => by(id).addEventListener('click', run));
  by('flow').addEventListener('change', () => choose(state.flows[by('flow').value], state.flow.time_us[state.i]));
  by('recent').addEventListener('change', drawUplinks);
  by('place').addEventListener('input', () => jump(Number(by('place').value)));
  by('lists').addEventListener('click', event => event.target.closest('[data-event]') && jump(Number(event.target.closest('[data-event]').dataset.event)));
  document.addEventListener('keydown', press);
  new ResizeObserver(drawUplinks).observe(by('network'));
}

// start decompresses the events and shows the first.
async function start() {
  try {
    const packed = Uint8Array.from(atob(by('data').textContent), c => c.charCodeAt(0));
    by('data').remove();
    const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
    state.flows = (await new Response(plain).json()).map(flow => link({ ...flow, ...flow.cells }));
    by('flow').replaceChildren(...state.flows.map((flow, value) => make('option', { value }, nameOf(flow, state.flows))));
    choose(state.flows[0], 0);
    go(0);
    listen();
  } catch (fault) {
    by('fault').hidden = false;
    by('fault').textContent = `The page cannot show the events: ${fault.message}. It needs a browser of 2023 or later.`;
  }
}
start();
