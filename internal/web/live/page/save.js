// What the page saves: a picture of all that is seen, and numbers as CSV.
import * as draw from './draw.js';

function download(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// picture draws all of a scene on one canvas, in light colours, twice as fine as
// a screen.
export function picture(seen, title) {
  const width = 1200, height = 780, canvas = document.createElement('canvas');
  canvas.width = 2 * width;
  canvas.height = 2 * height;
  const ctx = canvas.getContext('2d'), theme = draw.light;
  const part = (left, upper, paint) => {
    const piece = document.createElement('canvas');
    const wide = paint.wide, high = paint.high;
    piece.width = 2 * wide;
    piece.height = 2 * high;
    const inner = piece.getContext('2d');
    inner.scale(2, 2);
    paint.draw(inner, wide, high);
    ctx.drawImage(piece, left, upper, wide, high);
  };
  ctx.scale(2, 2);
  ctx.fillStyle = theme.page;
  ctx.fillRect(0, 0, width, height);
  ctx.fillStyle = theme.text;
  ctx.font = '600 18px system-ui, sans-serif';
  ctx.fillText('OPS and REPS on one switch, round ' + seen.round.toLocaleString('en'), 20, 30);
  ctx.font = '12px system-ui, sans-serif';
  ctx.fillText(title, 20, 52);
  ctx.font = '600 14px system-ui, sans-serif';
  ctx.fillText('OPS: no memory', 20, 82);
  ctx.fillText('REPS: recycled', 620, 82);
  ctx.fillText('Longest queue over time', 20, 442);
  const queues = (loads, color, over) => ({ wide: 570, high: 320, draw: (c, w, h) => draw.bars(c, w, h, theme, { ...seen, loads, color, over }) });
  part(15, 90, queues(seen.ops, theme.ops, theme.over));
  part(615, 90, queues(seen.reps, theme.reps, theme.overReps));
  part(15, 450, { wide: 1170, high: 315, draw: (c, w, h) => draw.history(c, w, h, theme, seen) });
  return canvas;
}

export function png(seen, title, name) {
  picture(seen, title).toBlob(blob => download(blob, name + '.png'), 'image/png');
}

// roundsTable returns what is kept of every round as CSV.
export function roundsTable(kept) {
  const lines = ['round,ops_max_load,reps_max_load,ops_total_load,reps_total_load,reps_throws,reps_random_throws'];
  for (let round = 1; round <= kept.count; round++) {
    lines.push([round, kept.opsMax[round], kept.repsMax[round], kept.opsBalls[round], kept.repsBalls[round], kept.thrown[round], kept.random[round]].join());
  }
  return lines.join('\n') + '\n';
}

// portsTable returns the queues of this round as CSV; serves_every is 0 for a
// broken port.
export function portsTable(seen) {
  const lines = ['port,ops_load,reps_load,serves_every'];
  seen.ops.forEach((load, port) => lines.push([port, load, seen.reps[port], seen.every[port]].join()));
  return lines.join('\n') + '\n';
}

export function csv(text, name) {
  download(new Blob([text], { type: 'text/csv' }), name + '.csv');
}
