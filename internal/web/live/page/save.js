// Saving: a picture of everything on the page, and numbers as CSV.
import * as draw from './draw.js';

function download(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// picture draws the parts of a page on one canvas, in light colours and with twice the resolution of a
// screen. line describes the run. A part has the id of the canvas on the page, its place in the picture,
// and paint(ctx, width, height, theme). Its texts are taken from the page.
function picture(parts, line) {
  const canvas = document.createElement('canvas'), ctx = canvas.getContext('2d'), theme = draw.light;
  const width = 1200, height = Math.max(...parts.map(({ upper, high }) => upper + high)) + 23;
  canvas.width = 2 * width;
  canvas.height = 2 * height;
  ctx.scale(2, 2);
  ctx.fillStyle = theme.page;
  ctx.fillRect(0, 0, width, height);
  const write = (text, left, y, style) => {
    ctx.fillStyle = theme.text;
    ctx.font = style + ' system-ui, sans-serif';
    ctx.fillText(text, left, y);
  };
  write(`${document.querySelector('h1').textContent}, ${document.getElementById('round').textContent.toLowerCase()}`, 20, 30, '600 18px');
  write(line, 20, 52, '12px');
  for (const { id, left, upper, wide, high, paint } of parts) {
    const figure = document.getElementById(id).closest('figure'), piece = document.createElement('canvas');
    piece.width = 2 * wide;
    piece.height = 2 * high;
    const inner = piece.getContext('2d');
    inner.scale(2, 2);
    paint(inner, wide, high, theme);
    ctx.drawImage(piece, left - 5, upper + 8, wide, high);
    write(figure.querySelector('h3').textContent, left, upper, '600 14px');
    const caption = figure.querySelector('figcaption')?.textContent ?? '';
    caption.split('; ').forEach((text, k) => write(text, left, upper + high + 24 + 17 * k, '12px'));
  }
  return canvas;
}

export function png(parts, line, name) {
  picture(parts, line).toBlob(blob => download(blob, name + '.png'), 'image/png');
}

// roundsTable returns the numbers of every round as CSV.
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
