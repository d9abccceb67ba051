import { createStore } from '../../data/store.ts'

/** Whom somebody begins to write to: a contact, or nobody yet. */
export type WriteTo = { contact: { id: string; name: string } | undefined }

/** The sheet for writing first is open. The head of the list, a contact's page and the palette open it. */
export const writeTo = createStore<WriteTo | undefined>(undefined)
