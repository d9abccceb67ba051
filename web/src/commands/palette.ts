import type { ComponentType } from 'react'
import { createStore } from '../data/store.ts'

/** Whether the palette is open. The rail and Ctrl K open it. */
export const paletteOpen = createStore(false)

/** Something that can be done from the palette. */
export type Command = {
  id: string
  label: string
  /** Its heading, such as "In this conversation". */
  group: string
  /** Further words that find it. */
  also?: string
  /** Shown beside it, as in `keys.ts`. */
  press?: string
  icon?: ComponentType<{ className?: string }>
  /** Left out while it would do nothing; asked when the palette opens. */
  isUseful?: () => boolean
  run: () => void
}

const registered = createStore<readonly (readonly Command[])[]>([])

/** Offers the commands of a screen until the returned function is called. */
export function offerCommands(commands: readonly Command[]): () => void {
  registered.set([...registered.get(), commands])
  return () => registered.set(registered.get().filter((each) => each !== commands))
}

/** What the current screens offer; the one opened last comes first. */
export const offeredCommands = registered
