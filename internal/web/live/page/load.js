// load starts the program and reports its progress. Some web hosts send the file decompressed, others do
// not.
export async function load(tell) {
  const answer = await fetch('kernels.wasm.gz');
  if (!answer.ok) {
    throw new Error(`kernels.wasm.gz: ${answer.status} ${answer.statusText}`);
  }
  let bytes = 0;
  const count = new TransformStream({
    transform(part, next) {
      bytes += part.length;
      tell(`Loading: ${Math.round(bytes / 1000)} kB`);
      next.enqueue(part);
    },
  });
  let code = await new Response(answer.body.pipeThrough(count)).arrayBuffer();
  const start = new Uint8Array(code, 0, 2);
  if (start[0] === 0x1f && start[1] === 0x8b) {
    code = await new Response(new Blob([code]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
  }
  tell('Compiling');
  const go = new Go();
  const { instance } = await WebAssembly.instantiate(code, go.importObject);
  const ready = new Promise(resolve => addEventListener('repslab', resolve, { once: true }));
  go.run(instance);
  await ready;
}
