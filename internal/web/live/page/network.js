// The page of a network.
import * as draw from './draw.js';
import * as tree from './tree.js';
import { seen, time, advance, open } from './slots.js';
import { element, form, state, say, set, context, dark, writeAddress, reopen, start } from './shell.js';

const keys = ['hosts', 'workload', 'message_bytes', 'left', 'right', 'seed'];
const defaults = { hosts: '32', workload: 'permutation', message_bytes: '8388608', left: 'ops', right: 'reps', seed: '1', speed: '400' };
const sides = ['left', 'right'];
const lastSlot = 60_000;
const count = number => number.toLocaleString('en');
const us = number => number.toFixed(1) + ' µs';
const title = name => ['ops', 'reps', 'ecmp', 'plb'].includes(name) ? name.toUpperCase() : name;
let names = [], changes = [];

// opened shows a view's parameters.
function opened(view, text) {
  for (const key of keys) {
    form.elements[key].value = view.get(key) ?? defaults[key];
    if (form.elements[key].selectedIndex === -1) { // an address may ask for any message
      form.elements[key].add(new Option(count(Number(view.get(key))) + ' B', view.get(key), true, true));
    }
  }
  names = sides.map(side => title(form.elements[side].value));
  sides.forEach((side, i) => say(side + '-name', names[i]));
  element('tor').max = seen.tors - 1;
  element('spine').max = seen.uplinks - 1;
  readChanges(text);
}

// readChanges notes the changes of links of a view's text, for the picture.
function readChanges(text) {
  const links = new URLSearchParams(text).get('links');
  const last = new Map(); // a link that is broken and mended in a slot is whole
  for (const change of links === null ? [] : links.split(',')) {
    const [, cable, whole, slot] = change.match(/^(\d+)x(\d)@(\d+)$/).map(Number);
    const name = `${Math.floor(cable / seen.uplinks)}–${cable % seen.uplinks}`;
    last.set(`${name}@${slot}`, { round: slot * seen.slotPs / 1e6, text: `link ${name} ${whole ? 'whole' : 'broken'}` });
  }
  changes = [...last.values()];
}

// selected returns the cable of the controls.
const selected = () => Number(element('tor').value) * seen.uplinks + Number(element('spine').value);

// clickCable breaks the cable that is clicked, or mends it.
function clickCable(event) {
  const { offsetX, offsetY, target } = event;
  const cable = tree.cableAt(offsetX, offsetY, target.clientWidth, target.clientHeight, seen);
  if (cable >= 0) {
    element('tor').value = Math.floor(cable / seen.uplinks);
    element('spine').value = cable % seen.uplinks;
    element('broken').value = seen.broken[cable] ? '1' : '0';
    changeCable();
  }
}

// changeCable breaks a cable or mends it from the next slot on.
function changeCable() {
  state.target = 0;
  const valid = ['tor', 'spine'].every(id => element(id).checkValidity() && element(id).value !== '');
  if (valid && repslab.network.setCable(selected(), element('broken').value === '0')) {
    advance(0);
    readChanges(repslab.network.view());
    writeAddress();
  }
  state.dirty = true;
}

// restart begins a new run by the controls, with the cables as they are.
function restart() {
  const view = new URLSearchParams(repslab.network.restarted());
  if (form.elements.hosts.value !== (view.get('hosts') ?? defaults.hosts)) {
    view.delete('links'); // of another tree
  }
  keys.forEach(key => set(view, key, form.elements[key].value));
  reopen(view);
}

function drawAll() {
  const theme = dark.matches ? draw.dark : draw.light, colors = [theme.ops, theme.reps], over = [theme.over, theme.overReps];
  sides.forEach((side, i) => {
    tree.tree(...context(element(side)), theme, seen, seen.sides[i], { color: colors[i], over: over[i], selected: selected() });
    say(side + '-text', caption(seen.sides[i]));
  });
  tree.finished(...context(element('history')), theme, seen, { now: time(), changes, names, colors });
  element('broken').value = seen.broken[selected()] ? '0' : '1';
  say('round', seen.slot < state.target ? `Going to slot ${count(state.target)}` : `Slot ${count(seen.slot)}, ${us(time())}`);
}

// caption describes the run of a load balancer.
function caption({ ends, sent, again, lost, recycled, longest }) {
  const done = ends.filter(end => end >= 0), last = done.reduce((a, b) => Math.max(a, b), 0);
  const flows = `${done.length} of ${ends.length} flows finished` + (done.length ? `, the last one at ${us(last / 1000)}` : '');
  return `${flows}; ${count(lost)} packets lost, ${count(again)} sent again, longest queue ${longest}, ` +
    `${Math.round(100 * recycled / Math.max(1, sent))} % recycled`;
}

// status describes the failures.
function status() {
  const broken = [...seen.broken.keys()].filter(cable => seen.broken[cable]);
  const parts = broken.length === 0 ? [] : [broken.length === 1
    ? `The link of ToR ${Math.floor(broken[0] / seen.uplinks)} to spine ${broken[0] % seen.uplinks} is broken.` : `${broken.length} links are broken.`];
  if (seen.sides.some(side => side.rerouteNs > 0)) {
    const last = seen.sides.map(({ rerouteNs, frozen }, i) => `${names[i]} ${us(rerouteNs / 1000)}${frozen ? ` (${frozen} flows in freezing mode)` : ''}`);
    parts.push(`Last packet into a broken link, after its failure: ${last.join(', ')}.`);
  }
  if (seen.sides.every(side => side.ends.every(end => end >= 0))) {
    const end = seen.sides.map(side => us(side.ends.reduce((a, b) => Math.max(a, b), 0) / 1000));
    parts.push(`All flows have finished: ${names[0]} took ${end[0]}, ${names[1]} ${end[1]}.`);
  }
  if (seen.slot === lastSlot) {
    parts.push(`The run ends at slot ${count(lastSlot)}; press Restart for a new one.`);
  }
  return parts.join(' ');
}

// listen fills the lists and connects the controls of links.
function listen() {
  form.elements.hosts.replaceChildren(...[8, 16, 32, 64, 128].map(hosts => new Option(hosts)));
  form.elements.message_bytes.replaceChildren(...[[16, '64 KiB'], [20, '1 MiB'], [23, '8 MiB'], [25, '32 MiB']].map(([power, text]) => new Option(text, 2 ** power)));
  for (const side of sides) {
    form.elements[side].replaceChildren(...repslab.network.balancers().split(' ').map(name => new Option(name)));
    element(side).addEventListener('click', clickCable);
  }
  for (const id of ['tor', 'spine']) {
    element(id).addEventListener('input', () => { state.dirty = true; });
  }
  element('broken').addEventListener('change', changeCable);
}

start({
  unit: 'slots', key: 'slot', defaults, budget: 12, kernels: () => repslab.network, at: () => seen.slot,
  open, advance, opened, restart, draw: drawAll, listen, tell: () => say('status', status()),
});
