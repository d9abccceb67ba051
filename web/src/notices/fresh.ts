import type { AlertState } from '@patchbay/contract/app/alerts.ts'

type Waiting = AlertState['waiting'][number]
type Trouble = AlertState['troubles'][number]

/** What this browser has seen and notified of, as it is kept. Times of waiting are the server's. */
export type KnownAlerts = {
  /** When the state was looked at last. */
  at: number
  /** The latest time that any conversation began to wait; 0 when none has. */
  latest: number
  waiting: Record<string, string>
  /** Since when each trouble is there, and whether it was notified of. */
  troubles: Record<string, { since: number; isTold: boolean }>
}

/** A conversation is known by then, whichever began to wait after it: transactions commit in another order than they begin. */
const overlapMs = 5 * 60_000

/** Troubles of a moment mend themselves. A receiver has been failing, or a channel has needed somebody, for ten minutes by the time it is one. */
const holdMs: Record<Trouble['condition'], number> = {
  bot: 60_000,
  credits: 60_000,
  receiver: 0,
  broadcast: 0,
  channel: 0,
}

/**
 * Returns what to notify of, and what is known afterwards. It is nothing the first time: who switches it on sees what
 * is there. The state has the conversations that began to wait last; one that is in it again because newer ones are
 * done began long before.
 */
export function freshIn(
  state: AlertState,
  known: KnownAlerts | undefined,
  now: number,
): { waiting: Waiting[]; troubles: Trouble[]; known: KnownAlerts } {
  const from = known ? known.latest - overlapMs : Number.POSITIVE_INFINITY
  const waiting = state.waiting.filter(
    ({ contactId, since }) => Date.parse(since) > from && known?.waiting[contactId] !== since,
  )
  const latest = Math.max(known?.latest ?? 0, ...state.waiting.map(({ since }) => Date.parse(since)))
  const recent = Object.entries(known?.waiting ?? {}).filter(([, since]) => Date.parse(since) > latest - overlapMs)
  const seen = state.troubles.map((trouble) => {
    const before = known?.troubles[trouble.key]
    const since = before?.since ?? now
    const isDue = now - since >= holdMs[trouble.condition]
    return { trouble, since, isFresh: known !== undefined && !before?.isTold && isDue, isTold: before?.isTold === true }
  })
  return {
    waiting,
    troubles: seen.filter(({ isFresh }) => isFresh).map(({ trouble }) => trouble),
    known: {
      at: now,
      latest,
      waiting: Object.fromEntries([...recent, ...state.waiting.map(({ contactId, since }) => [contactId, since])]),
      troubles: Object.fromEntries(
        seen.map(({ trouble, since, isFresh, isTold }) => [
          trouble.key,
          { since, isTold: isTold || isFresh || known === undefined },
        ]),
      ),
    },
  }
}
