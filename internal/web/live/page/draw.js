// Drawing on a canvas: the queues of a switch, and their maximum over time. Sizes are in CSS pixels; the
// caller scales the context.

export const font = '12px system-ui, sans-serif';
const margin = { left: 34, right: 8 }; // beside the bars

export const light = { text: '#1a1c1f', soft: '#50565e', grid: '#dfe3e8', page: '#ffffff', rest: '#ebe3f3', ops: '#c75000', reps: '#0b66a3', over: '#7a2e00', overReps: '#06395c', line: '#1a1c1f',
  left: '#7a3fa3', right: '#23763f', overLeft: '#43205c', overRight: '#0f4220' };
export const dark = { text: '#e8eaed', soft: '#b3b9c1', grid: '#333a42', page: '#15181c', rest: '#3a2f4a', ops: '#e8853a', reps: '#58b0ea', over: '#ffd0a8', overReps: '#cfe9ff', line: '#e8eaed',
  left: '#c08ae6', right: '#62c285', overLeft: '#ead6fa', overRight: '#cdf3d9' };

// nice returns the least number of 1, 2, 5, 10, 20, ... that is not below x.
export function nice(x) {
  const power = 10 ** Math.floor(Math.log10(Math.max(x, 1)));
  return [1, 2, 5, 10].map(k => k * power).find(k => k >= x);
}

// span returns the last round of an axis that begins at 0.
export function span(count) {
  const power = 10 ** Math.floor(Math.log10(Math.max(count, 1)));
  return [1, 1.5, 2, 3, 4, 6, 8, 10].map(k => k * power).find(k => k >= count);
}

// top returns the load at the upper end of the axis of bars. It has room for the threshold and for loads
// up to four times the threshold. Higher bars are cut.
export function top(tau, most) {
  const step = nice(Math.max(tau / 4, 1));
  return Math.ceil(Math.min(Math.max(1.5 * tau, 1.1 * most), 4 * tau) / step) * step;
}

export function label(ctx, text, x, y, align, color) {
  ctx.textAlign = align;
  ctx.fillStyle = color;
  ctx.fillText(text, x, y);
}

// rate returns the text under a port that does not serve in every round.
function rate(every) {
  return every === 0 ? '✕' : '1/' + every;
}

// bars draws the queues of all ports. loads has the load of each port, tau is the threshold, every says
// in which rounds each port serves, and axis is the load at the upper end.
export function bars(ctx, width, height, theme, { loads, every, tau, axis, color, over }) {
  const left = margin.left, right = width - margin.right, upper = 18, lower = height - 34, n = loads.length;
  const y = load => lower - (lower - upper) * Math.min(load, axis) / axis;
  const x = port => left + (right - left) * port / n;
  ctx.clearRect(0, 0, width, height);
  ctx.font = font;
  ctx.textBaseline = 'middle';
  const step = nice(axis / 6);
  for (let load = 0; load <= axis; load += step) {
    ctx.fillStyle = theme.grid;
    ctx.fillRect(left, Math.round(y(load)), right - left, 1);
    label(ctx, String(load), left - 5, y(load), 'right', theme.soft);
  }
  const gap = (right - left) / n > 4 ? 1 : 0;
  for (let port = 0; port < n; port++) {
    const from = x(port), wide = x(port + 1) - from - gap;
    if (every[port] !== 1) {
      ctx.fillStyle = theme.rest;
      ctx.fillRect(from, upper, wide, lower - upper);
    }
    ctx.fillStyle = color;
    ctx.fillRect(from, y(Math.min(loads[port], tau)), wide, lower - y(Math.min(loads[port], tau)));
    if (loads[port] > tau) {
      ctx.fillStyle = over;
      ctx.fillRect(from, y(loads[port]), wide, y(tau) - y(loads[port]));
    }
    if (loads[port] > axis) { // cut
      ctx.fillStyle = theme.page;
      ctx.fillRect(from, upper + 6, wide, 3);
    }
  }
  ctx.fillStyle = theme.soft;
  ctx.fillRect(left, lower, right - left, 1);
  threshold(ctx, left, right, y(tau), theme);
  label(ctx, 'τ', right + 1, y(tau), 'left', theme.text);
  portLabels(ctx, theme, { loads, every, axis, x, lower, left, right });
}

// portAt returns the port whose bar is at a place, or -1.
export function portAt(x, width, n) {
  const port = Math.floor(n * (x - margin.left) / (width - margin.left - margin.right));
  return port >= 0 && port < n ? port : -1;
}

// threshold draws the dashed line of the threshold.
function threshold(ctx, left, right, y, theme) {
  ctx.strokeStyle = theme.line;
  ctx.lineWidth = 1.5;
  ctx.setLineDash([6, 4]);
  ctx.beginPath();
  ctx.moveTo(left, y);
  ctx.lineTo(right, y);
  ctx.stroke();
  ctx.setLineDash([]);
}

// portLabels writes the numbers of ports, the texts of slow ports, and as far as there is room the loads
// of cut bars, the highest first.
function portLabels(ctx, theme, { loads, every, axis, x, lower, left, right }) {
  const n = loads.length, middle = port => (x(port) + x(port + 1)) / 2;
  const step = nice(n / 8);
  const slow = [...every.keys()].filter(port => every[port] !== 1);
  for (let port = 0; port < n; port += step) {
    if (!slow.some(p => p !== port && Math.abs(middle(p) - middle(port)) < 26)) {
      label(ctx, String(port), middle(port), lower + 10, 'center', theme.soft);
    }
  }
  const signs = [];
  for (const port of slow) {
    if (signs.every(at => Math.abs(at - middle(port)) > 24)) {
      signs.push(middle(port));
      label(ctx, String(port), middle(port), lower + 10, 'center', theme.text);
      label(ctx, rate(every[port]), middle(port), lower + 24, 'center', theme.text);
    }
  }
  label(ctx, 'port', left - 5, lower + 10, 'right', theme.soft);
  const written = [];
  const cut = [...loads.keys()].filter(port => loads[port] > axis).sort((a, b) => loads[b] - loads[a]);
  for (const port of cut) {
    const text = loads[port].toLocaleString('en'), half = ctx.measureText(text).width / 2;
    const at = Math.min(Math.max(middle(port), left + half), right - half);
    if (written.every(w => Math.abs(w.at - at) > w.half + half + 5)) {
      written.push({ at, half });
      label(ctx, text, at, 9, 'center', theme.text);
    }
  }
}

// series draws one number of each round, by the range in each column of pixels.
export function series(ctx, values, count, { x, y, stride }, color, dash, width) {
  ctx.strokeStyle = color;
  ctx.lineWidth = width;
  ctx.lineJoin = 'round';
  ctx.setLineDash(dash);
  ctx.beginPath();
  for (let from = 1; from <= count; from += stride) {
    let least = Infinity, most = -Infinity;
    for (let round = from; round < Math.min(from + stride, count + 1); round++) {
      least = Math.min(least, values[round]);
      most = Math.max(most, values[round]);
    }
    const at = x(from);
    from === 1 ? ctx.moveTo(at, y(most)) : ctx.lineTo(at, y(most));
    if (least !== most && dash.length === 0) {
      ctx.lineTo(at, y(least));
    }
  }
  ctx.stroke();
  ctx.setLineDash([]);
}

// history draws maxima and means over the rounds, with loads on a logarithmic axis. changes lists the
// changes of ports, {round, text}.
export function history(ctx, width, height, theme, { kept, tau, n, changes }) {
  const left = 44, right = width - 14, upper = 42, lower = height - 36, count = kept.count;
  const last = Math.max(100, span(count));
  const highest = Math.max(kept.most, 2 * tau) * 1.15;
  const y = load => lower - (lower - upper) * Math.log(Math.max(load, 1)) / Math.log(highest);
  const x = round => left + (right - left) * round / last;
  ctx.clearRect(0, 0, width, height);
  ctx.font = font;
  ctx.textBaseline = 'middle';
  for (let power = 1; power <= highest; power *= 10) {
    for (const k of [1, 2, 5]) {
      if (k * power <= highest && (k === 1 || highest < 3000)) {
        ctx.fillStyle = theme.grid;
        ctx.fillRect(left, Math.round(y(k * power)), right - left, 1);
        label(ctx, (k * power).toLocaleString('en'), left - 5, y(k * power), 'right', theme.soft);
      }
    }
  }
  timeAxis(ctx, theme, { x, left, right, lower, last, name: 'round' });
  changeLines(ctx, theme, changes, { x, upper, lower, right });
  const scale = { x, y, stride: Math.max(1, Math.floor(last / (right - left))) };
  series(ctx, kept.opsMean, count, scale, theme.ops, [3, 3], 1.25);
  series(ctx, kept.repsMean, count, scale, theme.reps, [3, 3], 1.25);
  series(ctx, kept.opsMax, count, scale, theme.ops, [], 1.75);
  series(ctx, kept.repsMax, count, scale, theme.reps, [], 1.75);
  threshold(ctx, left, right, y(tau), theme);
  legend(ctx, width, theme);
}

// timeAxis draws the lower axis, from 0 to last.
export function timeAxis(ctx, theme, { x, left, right, lower, last, name }) {
  for (let at = 0; at <= last; at += nice(last / Math.min(6, (right - left) / 60))) {
    label(ctx, at.toLocaleString('en'), x(at), lower + 11, at === 0 ? 'left' : x(at) > right - 20 ? 'right' : 'center', theme.soft);
  }
  label(ctx, name, (left + right) / 2, lower + 26, 'center', theme.soft);
  ctx.fillStyle = theme.soft;
  ctx.fillRect(left, lower, right - left, 1);
}

// changeLines marks the rounds in which ports changed.
export function changeLines(ctx, theme, changes, { x, upper, lower, right }) {
  let free = -Infinity;
  for (const { round, text } of changes) {
    ctx.fillStyle = theme.soft;
    ctx.fillRect(x(round), upper - 4, 1, lower - upper + 4);
    const wide = ctx.measureText(text).width;
    const at = Math.min(x(round) + 4, right - wide);
    if (at > free) {
      label(ctx, text, at, upper - 10, 'left', theme.soft);
      free = at + wide + 8;
    }
  }
}

// legend draws the legend above the data.
function legend(ctx, width, theme) {
  const entries = [[theme.ops, [], 2, 'OPS'], [theme.reps, [], 2, 'REPS'], [theme.soft, [3, 3], 1.25, 'mean'], [theme.line, [6, 4], 1.5, 'threshold τ']];
  const narrow = width < 420;
  let at = narrow ? 6 : 44;
  for (const [color, dash, wide, text] of entries) {
    ctx.strokeStyle = color;
    ctx.lineWidth = wide;
    ctx.setLineDash(dash);
    ctx.beginPath();
    ctx.moveTo(at, 10);
    ctx.lineTo(at + 24, 10);
    ctx.stroke();
    ctx.setLineDash([]);
    label(ctx, text, at + 29, 10, 'left', theme.text);
    at += 29 + ctx.measureText(text).width + (narrow ? 8 : 16);
  }
}
