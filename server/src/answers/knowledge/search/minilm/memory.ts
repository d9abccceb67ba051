import { Memory } from './web-assembly.ts'

/**
 * The memory of the model: where its parts begin. The weights are in it once; every thread that embeds has a place of its own to
 * work in, with a stack for the compiled code below it.
 */
export type ModelMemory = { memory: Memory; places: number }

/** The table of addresses that `minilm.c` calls `Model`; the compiled code never reads address 0. */
export const modelAt = 1_024
const pageBytes = 65_536
const stackBytes = pageBytes
/** A stack and what `minilm.c` calls `Scratch`. What was never used takes no memory of the machine. */
const placeBytes = 64 * pageBytes
export const mostScratchBytes = placeBytes - stackBytes

/** It cannot grow: what does not fit is refused before anything is written. Throws where the system has not so much. */
export function openMemory(weightBytes: number, places = 1): ModelMemory {
  const pages = Math.ceil((weightsAt(places) + weightBytes) / pageBytes)
  return { memory: new Memory({ initial: pages, maximum: pages, shared: true }), places }
}

export const weightsAt = (places: number): number => pageBytes + places * placeBytes

/** The stack grows down from where the scratch begins. */
export const scratchAt = (place: number): number => pageBytes + place * placeBytes + stackBytes
