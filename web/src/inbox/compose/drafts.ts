import type { KeptRecords } from './kept-records.ts'

/** Texts that were begun and not sent, one for each conversation. */
export type Drafts = {
  get: (contactId: string) => string
  set: (contactId: string, text: string) => void
  subscribe: (listener: () => void) => () => void
}

export function openDrafts(kept: KeptRecords): Drafts {
  const texts = kept.readAll()
  const listeners = new Set<() => void>()
  const tell = () => {
    for (const listener of listeners) listener()
  }
  kept.onChange((contactId, text) => {
    if (text) texts.set(contactId, text)
    else texts.delete(contactId)
    tell()
  })
  return {
    get: (contactId) => texts.get(contactId) ?? '',
    set: (contactId, text) => {
      if (text === (texts.get(contactId) ?? '')) return
      if (text === '') texts.delete(contactId)
      else texts.set(contactId, text)
      // At every key: a crash of the browser loses nothing.
      if (text === '') kept.remove(contactId)
      else kept.write(contactId, text)
      tell()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
