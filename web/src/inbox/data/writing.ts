import { typingSeconds } from '@patchbay/contract/app/live.ts'
import { createStore, useStore } from '../../data/store.ts'

const writing = createStore<ReadonlySet<string>>(new Set())
const ends = new Map<string, ReturnType<typeof setTimeout>>()

/** A contact writes at this moment: it shows until they stop, or something else happens in the conversation. */
export function noteWriting(contactId: string): void {
  clearTimeout(ends.get(contactId))
  ends.set(
    contactId,
    setTimeout(() => forgetWriting(contactId), typingSeconds * 1_000),
  )
  if (!writing.get().has(contactId)) writing.set(new Set([...writing.get(), contactId]))
}

export function forgetWriting(contactId: string): void {
  clearTimeout(ends.get(contactId))
  if (ends.delete(contactId)) writing.set(new Set([...writing.get()].filter((one) => one !== contactId)))
}

export function useIsWriting(contactId: string): boolean {
  return useStore(writing).has(contactId)
}
