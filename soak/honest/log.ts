export type Kind = 'incoming' | 'find' | 'create' | 'send' | 'hello' | 'upload'

/** One request of the honest client, timed from when it was due and not from when it could be sent. */
export type HonestEntry = {
  kind: Kind
  /** In milliseconds since the beginning. */
  dueAtMs: number
  tookMs: number
  /** 0: no answer at all. */
  status: number
  /** The name we gave it: its messageSid, or for one that is sent its text. */
  name: string
  messageId?: string | undefined
  /** What went wrong, if it was no answer. */
  failure?: string | undefined
}

/** An event that arrived at the honest tenant's receiver. */
export type Arrival = { atMs: number; messageId: string; contact: string; body: string; webhookId: string }

export type HonestLog = {
  entries: HonestEntry[]
  arrivals: Arrival[] /** How late our own timers were at most. */
  lateMs: number
}
