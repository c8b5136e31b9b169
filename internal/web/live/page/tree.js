// Drawing a network: its tree, and values over time.
import { font, label, nice, span, series, timeAxis, changeLines } from './draw.js';

const shades = 6, mostQueue = 100, bar = 40;

// places returns the places of the switches and of the ends of cables at them.
function places(width, height, { tors, uplinks }) {
  const upper = 22, lower = height - 72;
  const wide = count => Math.min(0.8 * width / count, 90);
  const x = (count, i) => width * (i + 0.5) / count;
  const end = (count, i, ports, port) => x(count, i) + wide(count) * ((port + 0.5) / ports - 0.5);
  return {
    upper, lower, wide, x,
    tor: (tor, uplink) => end(tors, tor, uplinks, uplink),
    spine: (spine, tor) => end(uplinks, spine, tors, tor),
    host: (tor, host, hosts) => end(tors, tor, hosts, host),
  };
}

// cableAt returns the cable next to a place, or -1.
export function cableAt(x, y, width, height, seen) {
  const at = places(width, height, seen);
  let nearest = -1, least = 14;
  for (let cable = 0; cable < seen.broken.length; cable++) {
    const tor = Math.floor(cable / seen.uplinks), spine = cable % seen.uplinks;
    const from = at.tor(tor, spine), rise = at.upper - at.lower, run = at.spine(spine, tor) - from;
    const part = Math.min(1, Math.max(0, ((x - from) * run + (y - at.lower) * rise) / (run * run + rise * rise)));
    const distance = Math.hypot(x - from - part * run, y - at.lower - part * rise);
    if (distance < least) {
      [nearest, least] = [cable, distance];
    }
  }
  return nearest;
}

// halves collects the halves of cables by the shade of their load, and the broken cables.
function halves(at, seen, side) {
  const lines = Array.from({ length: shades + 1 }, () => new Path2D()), broken = new Path2D();
  const cables = seen.broken.length;
  for (let cable = 0; cable < cables; cable++) {
    const tor = Math.floor(cable / seen.uplinks), spine = cable % seen.uplinks;
    const x1 = at.tor(tor, spine), x2 = at.spine(spine, tor), middle = (at.upper + at.lower) / 2;
    for (const [port, x, y] of [[cable, x1, at.lower], [cables + cable, x2, at.upper]]) {
      const shade = Math.min(shades, Math.ceil(shades * side.load[port] / seen.window));
      const path = seen.broken[cable] ? broken : lines[shade];
      path.moveTo(x, y);
      path.lineTo((x1 + x2) / 2, middle);
    }
  }
  return [lines, broken];
}

// tree draws the network of a load balancer. selected is the cable selected in the controls.
export function tree(ctx, width, height, theme, seen, side, { color, over, selected }) {
  const at = places(width, height, seen), [lines, broken] = halves(at, seen, side);
  ctx.clearRect(0, 0, width, height);
  ctx.font = font;
  ctx.textBaseline = 'middle';
  lines.forEach((path, shade) => {
    ctx.strokeStyle = shade === 0 ? theme.grid : color;
    ctx.globalAlpha = shade === 0 ? 1 : shade / shades;
    ctx.lineWidth = seen.broken.length > 64 ? 0.75 : 1.5;
    ctx.stroke(path);
  });
  ctx.globalAlpha = 1;
  ctx.strokeStyle = theme.line;
  ctx.lineWidth = 2;
  ctx.setLineDash([2, 5]);
  ctx.stroke(broken);
  ctx.setLineDash([]);
  switches(ctx, theme, at, seen, selected);
  queues(ctx, at, seen, side, over);
  hosts(ctx, height, theme, at, seen, side, color);
}

// switches draws spines and ToRs, and writes their numbers if there is room.
function switches(ctx, theme, at, { tors, uplinks }, selected) {
  for (const [count, y, text, name, chosen] of [
    [uplinks, at.upper - 8, at.upper - 16, 'spine', selected % uplinks], [tors, at.lower, at.lower + 66, 'ToR', Math.floor(selected / uplinks)],
  ]) {
    for (let i = 0; i < count; i++) {
      ctx.fillStyle = i === chosen ? theme.text : theme.soft;
      ctx.fillRect(at.x(count, i) - at.wide(count) / 2, y, at.wide(count), 8);
      const words = at.wide(count) > 44 ? `${name} ${i}` : String(i);
      if (i % nice(count / 16) === 0) {
        label(ctx, words, at.x(count, i), text, 'center', i === chosen ? theme.text : theme.soft);
      }
    }
  }
}

// queues draws the packets queued at ports: up from ToRs, down from spines, and to hosts.
function queues(ctx, at, seen, side, over) {
  const { tors, uplinks, hosts } = seen, cables = tors * uplinks, below = hosts / tors;
  const high = port => side.queue[port] === 0 ? 0 : Math.max(1, bar * Math.min(1, side.queue[port] / mostQueue));
  const thin = (count, ports) => Math.max(1.5, Math.min(6, 0.7 * at.wide(count) / ports));
  ctx.fillStyle = over;
  for (let cable = 0; cable < cables; cable++) {
    const tor = Math.floor(cable / uplinks), spine = cable % uplinks;
    let wide = thin(tors, uplinks), h = high(cable);
    ctx.fillRect(at.tor(tor, spine) - wide / 2, at.lower - h, wide, h);
    wide = thin(uplinks, tors);
    h = high(cables + cable);
    ctx.fillRect(at.spine(spine, tor) - wide / 2, at.upper, wide, h);
  }
  for (let host = 0; host < hosts; host++) {
    const wide = thin(tors, below);
    ctx.fillRect(at.host(Math.floor(host / below), host % below, below) - wide / 2, at.lower + 8, wide, high(2 * cables + host));
  }
}

// hosts draws a square for each host, filled when the last flow that it sends has finished.
function hosts(ctx, height, theme, at, seen, side, color) {
  const below = seen.hosts / seen.tors, size = Math.max(2, Math.min(9, 0.75 * at.wide(seen.tors) / below)), y = at.lower + 49;
  const sends = new Map();
  seen.sources.forEach((host, flow) => sends.set(host, side.ends[flow]));
  for (let host = 0; host < seen.hosts; host++) {
    const x = at.host(Math.floor(host / below), host % below, below) - size / 2;
    ctx.fillStyle = ctx.strokeStyle = sends.has(host) ? color : theme.grid;
    ctx.lineWidth = 1;
    sends.get(host) >= 0 ? ctx.fillRect(x, y, size, size) : ctx.strokeRect(x + 0.5, y + 0.5, size - 1, size - 1);
  }
}

// plot draws a value of both load balancers over time in microseconds, with one point for each window.
export function plot(ctx, width, height, theme, { values, count, window, least, now, changes, names, colors }) {
  const left = 50, right = width - 14, upper = 42, lower = height - 36, last = Math.max(50, span(now));
  const most = Math.max(least, ...values.flat());
  const x = us => left + (right - left) * us / last, y = value => lower - (lower - upper) * value / most;
  ctx.clearRect(0, 0, width, height);
  ctx.font = font;
  ctx.textBaseline = 'middle';
  for (let value = 0; value <= most; value += nice(most / 5)) {
    ctx.fillStyle = theme.grid;
    ctx.fillRect(left, Math.round(y(value)), right - left, 1);
    label(ctx, value.toLocaleString('en'), left - 5, y(value), 'right', theme.soft);
  }
  timeAxis(ctx, theme, { x, left, right, lower, last, name: 'time (µs)' });
  changeLines(ctx, theme, changes, { x, upper, lower, right });
  const scale = { x: k => x(k * window), y, stride: Math.max(1, Math.floor(last / window / (right - left))) };
  values.forEach((list, i) => {
    series(ctx, list, count, scale, colors[i], [], 3 - 1.5 * i); // widths differ: both show if equal
    ctx.fillStyle = colors[i];
    ctx.fillRect(left + 110 * i, 9, 24, 3);
    label(ctx, names[i], left + 110 * i + 29, 10, 'left', theme.text);
  });
}
