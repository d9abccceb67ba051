import { hash } from 'node:crypto'

/** Numbers from 0 to below 1 that are the same for the same seed. */
export function openRandom(seed: number): () => number {
  let drawn = 0
  return () => {
    drawn += 1
    return hash('sha256', `${seed} ${drawn}`, 'buffer').readUInt32BE() / 2 ** 32
  }
}
