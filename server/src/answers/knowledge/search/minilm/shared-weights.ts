import { statSync } from 'node:fs'
import { type ModelMemory, openMemory } from './memory.ts'

/** A place of its own for a thread, in the memory that all share. */
export type Place = { memory: ModelMemory; number: number }

/** Two threads run at a time; another two may still be ending while those that replace them begin. */
const places = 4

/**
 * The memory with the weights, which is there once however many threads embed. It is opened with the first place that is taken;
 * a place is given back when its thread has ended, so that no two ever work in the same one.
 */
export function openSharedWeights(weightsPath: string) {
  let memory: ModelMemory | undefined
  const taken = new Set<number>()
  return {
    /** Undefined: there is no memory, or no place in it. */
    take: (): Place | undefined => {
      const number = Array.from({ length: places }, (_, i) => i).find((i) => !taken.has(i))
      try {
        memory ??= openMemory(statSync(weightsPath).size, places)
      } catch {
        return undefined // whoever loads the weights says why
      }
      if (number === undefined) return undefined
      taken.add(number)
      return { memory, number }
    },
    giveBack: (place: Place | undefined): void => {
      if (place?.memory === memory) taken.delete(place?.number ?? -1)
    },
    /** Frees it once the threads have ended. */
    close: (): void => {
      memory = undefined
      taken.clear()
    },
  }
}

export type SharedWeights = ReturnType<typeof openSharedWeights>
