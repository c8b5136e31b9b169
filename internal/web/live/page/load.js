// Loads the kernels.

const file = 'kernels.wasm.gz';

// load starts the program and tells of its progress. Some hosts unpack the file on the
// way, others do not.
export async function load(tell) {
  const answer = await fetch(file);
  if (!answer.ok) {
    throw new Error(`${file}: ${answer.status} ${answer.statusText}`);
  }
  let code = await new Response(answer.body.pipeThrough(counter(answer, tell))).arrayBuffer();
  const start = new Uint8Array(code, 0, 2);
  if (start[0] === 0x1f && start[1] === 0x8b) {
    code = await new Response(new Blob([code]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
  }
  tell('Compiling the program');
  const go = new Go();
  const { instance } = await WebAssembly.instantiate(code, go.importObject);
  const ready = new Promise(resolve => addEventListener('repslab', resolve, { once: true }));
  go.run(instance);
  await ready;
}

// counter passes on the bytes of an answer and tells how many there were. An answer that
// is unpacked on the way has more than its header says.
function counter(answer, tell) {
  const all = answer.headers.has('Content-Encoding') ? 0 : Number(answer.headers.get('Content-Length'));
  let bytes = 0;
  return new TransformStream({
    transform(part, controller) {
      bytes += part.length;
      tell(`Loading ${Math.round(bytes / 1000).toLocaleString('en')}${all ? ' of ' + Math.round(all / 1000).toLocaleString('en') : ''} kB`);
      controller.enqueue(part);
    },
  });
}
