import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { type ModelMemory, modelAt, weightsAt } from './memory.ts'

/** A file of weights in the format safetensors: the length of the head, the head in JSON, and the numbers. */
export type WeightsFile = { fd: number; tensors: Record<string, Tensor>; dataAt: number; dataBytes: number }
type Tensor = { dtype: string; shape: number[]; data_offsets: [from: number, to: number] }

export function openWeights(path: string): WeightsFile & Disposable {
  const fd = openSync(path, 'r')
  try {
    const { size } = fstatSync(fd)
    const length = Number(readBytes(fd, 0, 8).readBigUInt64LE())
    if (length > Math.min(size - 8, 1e6)) throw new Error('the file of weights has no head')
    const tensors = JSON.parse(readBytes(fd, 8, length).toString())
    return { fd, tensors, dataAt: 8 + length, dataBytes: size - 8 - length, [Symbol.dispose]: () => closeSync(fd) }
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

/**
 * Copies the weights into the memory as they are in the file, as 16-bit floats, and writes the table of their addresses. All are
 * checked first: the compiled code reads as many numbers as the model has, wherever an address points to.
 */
export function loadWeights(
  { fd, tensors, dataAt, dataBytes }: WeightsFile,
  { memory: { buffer }, places }: ModelMemory,
): void {
  const at = weightsAt(places)
  if (at + dataBytes > buffer.byteLength) throw new Error('the memory is too small for the weights')
  const addresses = expected.map(([name, ...shape]) => at + offsetOf(name, shape, tensors, dataBytes))
  readInto(fd, dataAt, new Uint8Array(buffer, at, dataBytes))
  const table = new Uint32Array(buffer, modelAt, 1 + addresses.length)
  table.set(addresses, 1)
  Atomics.store(table, 0, wordCount) // last: it says that the rest is there
}

/** Whether a thread has loaded them already. */
export function hasWeights({ memory }: ModelMemory): boolean {
  return Atomics.load(new Uint32Array(memory.buffer, modelAt, 1), 0) === wordCount
}

/** The bytes of the table. */
export const tableBytes = (): number => 4 * (1 + expected.length)

function offsetOf(name: string, shape: number[], tensors: WeightsFile['tensors'], dataBytes: number): number {
  const { dtype, shape: has, data_offsets: [from, to] = [0, 0] } = tensors[name] ?? {}
  const count = shape.reduce((product, length) => product * length, 1)
  const isWhole = Number.isSafeInteger(from) && from >= 0 && to === from + 2 * count && to <= dataBytes
  if (dtype !== 'F16' || has?.join() !== shape.join() || !isWhole)
    throw new Error(`the weights have no ${name} as known`)
  return from
}

const [wordCount, width, wide] = [30_522, 384, 1_536]

type Expected = [name: string, ...shape: number[]]
const linear = (name: string, outputs: number, inputs: number): Expected[] => [
  [`${name}.weight`, outputs, inputs],
  [`${name}.bias`, outputs],
]
const norm = (name: string): Expected[] => [
  [`${name}.weight`, width],
  [`${name}.bias`, width],
]
const layer = (name: string): Expected[] => [
  ...linear(`${name}.attention.self.query`, width, width),
  ...linear(`${name}.attention.self.key`, width, width),
  ...linear(`${name}.attention.self.value`, width, width),
  ...linear(`${name}.attention.output.dense`, width, width),
  ...norm(`${name}.attention.output.LayerNorm`),
  ...linear(`${name}.intermediate.dense`, wide, width),
  ...linear(`${name}.output.dense`, width, wide),
  ...norm(`${name}.output.LayerNorm`),
]

/** In the order of `Model` in `minilm.c`. */
const expected: Expected[] = [
  ['embeddings.word_embeddings.weight', wordCount, width],
  ['embeddings.position_embeddings.weight', 512, width],
  ['embeddings.token_type_embeddings.weight', 2, width],
  ...norm('embeddings.LayerNorm'),
  ...[0, 1, 2, 3, 4, 5].flatMap((n) => layer(`encoder.layer.${n}`)),
]

function readBytes(fd: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  readInto(fd, at, bytes)
  return bytes
}

function readInto(fd: number, at: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    const read = readSync(fd, bytes, done, bytes.length - done, at + done)
    if (read === 0) throw new Error('the file of weights ends too early')
    done += read
  }
}
