// The page of a network.
import * as tree from './tree.js';
import * as save from './save.js';
import { seen, kept, time, advance, open } from './slots.js';
import { element, form, state, say, set, paint, viewText, writeAddress, reopen, renew, start } from './shell.js';

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
    if (form.elements[key].selectedIndex === -1) { // the address may have any message size
      form.elements[key].add(new Option(count(Number(view.get(key))) + ' B', view.get(key), true, true));
    }
  }
  names = sides.map(side => title(form.elements[side].value));
  document.title = `${names.join(' and ')} in a fat tree`;
  say('title', document.title);
  sides.forEach((side, i) => {
    say(side + '-name', names[i]);
    element(side).setAttribute('aria-label', `Links, queues and hosts under ${names[i]}`);
  });
  element('flow').max = seen.flows - 1;
  element('flow').value = view.get('flow') ?? 0;
  element('tor').max = seen.tors - 1;
  element('spine').max = seen.uplinks - 1;
  readChanges(text);
}

// readChanges notes the changes of links of a view's text, for the picture.
function readChanges(text) {
  const links = new URLSearchParams(text).get('links');
  const last = new Map(); // by slot and link: a link that is broken and repaired in the same slot is whole
  for (const change of links === null ? [] : links.split(',')) {
    const [, cable, whole, slot] = change.match(/^(\d+)x(\d)@(\d+)$/).map(Number);
    const text = `link ${Math.floor(cable / seen.uplinks)}–${cable % seen.uplinks} ${whole ? 'whole' : 'broken'}`;
    last.set(slot, (last.get(slot) ?? new Map()).set(cable, text));
  }
  changes = [...last].map(([slot, texts]) => ({
    round: slot * seen.slotPs / 1e6, text: texts.size === 1 ? [...texts.values()][0] : `${texts.size} links changed`,
  }));
}

// selected returns the cable of the controls.
const selected = () => Number(element('tor').value) * seen.uplinks + Number(element('spine').value);

// clickCable breaks or repairs the cable that was clicked.
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

// changeCable breaks or repairs the cable selected in the controls.
function changeCable() {
  const valid = ['tor', 'spine'].every(id => element(id).checkValidity() && element(id).value !== '');
  setCables(valid ? [selected()] : [], element('broken').value === '0');
}

// setCables breaks or repairs cables from the next slot on. If the run allows no further change, it does
// so in a new run.
function setCables(cables, broken) {
  state.target = 0;
  for (const cable of cables) {
    if (!repslab.network.setCable(cable, broken)) {
      renew();
      repslab.network.setCable(cable, broken);
    }
  }
  advance(0);
  readChanges(repslab.network.view());
  writeAddress();
  state.dirty = true;
}

const brokenCables = () => [...seen.broken.keys()].filter(cable => seen.broken[cable]);

// restart begins a new run with the values of the controls and the cables as they are.
function restart() {
  const view = new URLSearchParams(repslab.network.restarted());
  if (form.elements.hosts.value !== (view.get('hosts') ?? defaults.hosts)) {
    view.delete('links'); // links of another tree
  }
  if (['hosts', 'workload'].some(key => form.elements[key].value !== (view.get(key) ?? defaults[key]))) {
    view.delete('flow'); // the new run may not have this flow
  }
  keys.forEach(key => set(view, key, form.elements[key].value));
  reopen(view);
}

// showRing shows the memory of a load balancer about the chosen flow.
function showRing(side, i) {
  const [mode, ...slots] = repslab.network.memory(i).split(' '), flow = Number(element('flow').value) || 0;
  const entry = (text, kind) => Object.assign(document.createElement('li'), { textContent: text, className: kind });
  const entries = slots.map(slot => {
    const valid = slot.startsWith('+'), item = entry(slot.slice(valid), valid ? 'valid' : '');
    item.setAttribute('aria-label', `${item.textContent} ${valid ? 'valid' : 'used'}`);
    return item;
  });
  const words = `Flow ${flow}, host ${seen.sources[flow]}${mode && ', frozen'}: ${entries.length ? '' : 'no ring'}`;
  element(side + '-ring').replaceChildren(entry(words, 'mode'), ...entries);
}

// colors returns the colours of both sides and of their queues. OPS and REPS have their own colours.
function colors(theme) {
  const own = { OPS: [theme.ops, theme.over], REPS: [theme.reps, theme.overReps] };
  const others = [[theme.left, theme.overLeft], [theme.right, theme.overRight]];
  return names.map((name, i) => names[0] === names[1] ? others[i] : own[name] ?? others[i]);
}

// parts lists the pictures of the page and their places in a saved picture.
const parts = [
  ...sides.map((id, i) => ({
    id, left: 20 + 600 * i, upper: 82, wide: 570, high: 320,
    paint(ctx, width, height, theme) {
      const [color, over] = colors(theme)[i];
      tree.tree(ctx, width, height, theme, seen, seen.sides[i], { color, over, selected: selected() });
    },
  })),
  ...[['throughput', 1], ['lost', 10], ['finished', 1]].map(([id, least], i) => ({
    id, left: 20 + 400 * i, upper: 470, wide: 380, high: 250,
    paint(ctx, width, height, theme) {
      const lines = colors(theme).map(([color]) => color), window = seen.window * seen.slotPs / 1e6;
      tree.plot(ctx, width, height, theme, { values: kept[id], count: kept.count, window, least, now: time(), changes, names, colors: lines });
    },
  })),
];

function drawAll() {
  paint(parts);
  sides.forEach((side, i) => {
    say(side + '-text', caption(seen.sides[i]));
    showRing(side, i);
  });
  element('broken').value = seen.broken[selected()] ? '0' : '1';
  say('round', seen.slot < state.target ? `Going to slot ${count(state.target)}` : `Slot ${count(seen.slot)}, ${us(time())}`);
}

// caption describes the run of a load balancer.
function caption({ finished, tookNs, sent, again, lost, recycled, longest }) {
  const rounds = Math.floor(finished / seen.flows), before = rounds === 0 ? '' : `, round ${rounds} took ${us(tookNs / 1000)}`;
  return `Round ${rounds + 1}: ${finished % seen.flows} of ${seen.flows} flows finished${before}; ${count(lost)} packets lost, ${count(again)} sent again, ` +
    `longest queue ${longest}, ${Math.round(100 * recycled / Math.max(1, sent))} % recycled`;
}

// status describes the failures.
function status() {
  const broken = brokenCables();
  const parts = broken.length === 0 ? [] : [broken.length === 1
    ? `The link of ToR ${Math.floor(broken[0] / seen.uplinks)} to spine ${broken[0] % seen.uplinks} is broken.` : `${broken.length} links are broken.`];
  if (seen.sides.some(side => side.rerouteNs > 0)) {
    const last = seen.sides.map(({ rerouteNs, frozen }, i) => `${names[i]} ${us(rerouteNs / 1000)}${frozen ? ` (${frozen} flows in freezing mode)` : ''}`);
    parts.push(`Last packet into a broken link, after its failure: ${last.join(', ')}.`);
  }
  if (seen.slot === lastSlot) {
    parts.push('This is the last slot: Run begins a new run.');
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
  element('flow').addEventListener('input', () => {
    const { value } = element('flow');
    if (value !== '' && element('flow').checkValidity() && repslab.network.setFlow(Number(value))) {
      writeAddress();
      state.dirty = true;
    }
  });
  element('broken').addEventListener('change', changeCable);
  element('repair').addEventListener('click', () => setCables(brokenCables(), false));
  element('png').addEventListener('click', () => save.png(parts, '#' + viewText(), 'repslab-network'));
}

start({
  unit: 'slots', key: 'slot', defaults, budget: 12, goesOn: true, kernels: () => repslab.network, at: () => seen.slot,
  open, advance, opened, restart, draw: drawAll, listen, tell: () => say('status', status()),
});
