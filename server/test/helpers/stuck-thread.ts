import { parentPort } from 'node:worker_threads'

/** Replaces the embedder's thread: responds to every text, but hangs for ever on the text `stuck`. */
parentPort?.on('message', ({ id, text }: { id: number; text: string }) => {
  while (text === 'stuck');
  parentPort?.postMessage({ id, value: Float32Array.of(1) })
})
