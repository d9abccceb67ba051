/**
 * What the engines have in common: the input, the answer and the errors. An engine gets one turn of a conversation and
 * decides what to reply; it reads and writes nothing else.
 */
import type { CampaignSettings } from '@patchbay/contract/campaigns.ts'
import type { EntryId } from '../../../platform/ids.ts'
import type { AskedCampaign } from '../../knowledge/entries/store.ts'

/** Characters of any one message that is read: bounds the work on it, and no prompt takes more of it. */
export const mostCharactersRead = 20_000

/** All that an engine gets to know. */
export type TurnInput = {
  campaign: AskedCampaign
  settings: CampaignSettings
  /** The first name of the contact, for a text that greets by name. */
  firstName: string | null
  /** What the contact wrote since they were last answered, in one text. */
  text: string
  /** The earlier messages, oldest first. */
  history: HistoryMessage[]
  /** The entries that our last message offered, in its order: a number may pick one. */
  offered: EntryId[]
  /** The entry that the contact chose with a button, one that was offered to them. It counts before any word of the text. */
  choice?: EntryId | null
}

export type HistoryMessage = { by: 'contact' | 'bot' | 'person'; text: string; kind: 'text' | 'reaction' }

/** The decision of an engine: a reply, or none. */
export type Answer = {
  kind: 'answer' | 'offer' | 'fallback' | 'handover' | 'silent'
  /** The reply, or null for none. */
  text: string | null
  /** Why it is so, in a few words for the log of decisions. */
  reason: string
  sources: Source[]
  /** The entries that `text` offers to choose from. */
  offered: EntryId[]
  /** The same for a channel with buttons: what stands on each of them. */
  choices: Choice[]
  /** The engine, and the model behind it or the way it scored. */
  engine: string
  model: string | null
  usage: { inputTokens: number | null; outputTokens: number | null } | null
}

export type Choice = { entryId: EntryId; title: string }

export type Source = { entryId: EntryId; score: number }

export type Engine = {
  /** The engine waits for another server: an answer may take long, but uses almost no CPU here. */
  isRemote?: boolean
  /** Throws EngineError, EngineBusy, or the reason of the signal. */
  generate: (input: TurnInput, signal: AbortSignal) => Promise<Answer>
}

/** Why there is no answer. A retry cannot help when `isFinal`: a wrong key, an unknown model. */
export class EngineError extends Error {
  readonly isFinal: boolean

  constructor(message: string, { isFinal, ...options }: ErrorOptions & { isFinal: boolean }) {
    super(message, options)
    this.name = 'EngineError'
    this.isFinal = isFinal
  }
}

/** The engine had no capacity and was not called, so this counts as no attempt: the turn is retried later. */
export class EngineBusy extends Error {
  readonly retryAfterSeconds: number
  /** Resolves when a slot is free, if that is known. */
  readonly whenFree: Promise<void> | undefined

  constructor(message: string, retryAfterSeconds: number, whenFree?: Promise<void>) {
    super(message)
    this.name = 'EngineBusy'
    this.retryAfterSeconds = retryAfterSeconds
    this.whenFree = whenFree
  }
}
