import type { CampaignSettings } from '@patchbay/contract/campaigns.ts'
import type { CampaignRef } from '../../knowledge/entries/store.ts'
import type { EntryId } from '../../platform/ids.ts'

/** What an engine may know when it answers. Nothing else reaches it. */
export type TurnInput = {
  campaign: CampaignRef
  settings: CampaignSettings
  /** Of the contact, for a text that greets by name. */
  firstName: string | null
  /** What the contact wrote since they were last answered, in one text. */
  text: string
  /** What was said before, oldest first. */
  history: Said[]
  /** The entries that our last message offered, in its order: a number may pick one. */
  offered: EntryId[]
}

export type Said = { by: 'contact' | 'bot' | 'person'; text: string; kind: 'text' | 'reaction' }

/** What an engine decided to say, or not to say. */
export type Answer = {
  kind: 'answer' | 'offer' | 'fallback' | 'handover' | 'silent'
  /** Null: nothing is said. */
  text: string | null
  /** Why, in a few words for the log of decisions. */
  reason: string
  sources: Source[]
  /** What `text` offers to choose from. */
  offered: EntryId[]
  /** The engine, and the model behind it or the way it scored. */
  engine: string
  model: string | null
  usage: { inputTokens: number | null; outputTokens: number | null } | null
}

export type Source = { entryId: EntryId; score: number }

export type Engine = {
  /** Set where somebody else does the work: the answer may take as long as they like, and costs us next to nothing. */
  isRemote?: boolean
  /** Throws EngineError, EngineBusy, or the reason of the signal. */
  generate: (input: TurnInput, signal: AbortSignal) => Promise<Answer>
}

/** Why there is no answer. A final one would only happen again: a wrong key, an unknown model. */
export class EngineError extends Error {
  readonly isFinal: boolean

  constructor(message: string, { isFinal, ...options }: ErrorOptions & { isFinal: boolean }) {
    super(message, options)
    this.name = 'EngineError'
    this.isFinal = isFinal
  }
}

/** Not now. Nobody was asked, so this was no attempt: the answer stays owed, and is asked for again after a while. */
export class EngineBusy extends Error {
  readonly retryAfterSeconds: number
  /** Resolves when it is worth trying again, if that is known. */
  readonly whenFree: Promise<void> | undefined

  constructor(message: string, retryAfterSeconds: number, whenFree?: Promise<void>) {
    super(message)
    this.name = 'EngineBusy'
    this.retryAfterSeconds = retryAfterSeconds
    this.whenFree = whenFree
  }
}
