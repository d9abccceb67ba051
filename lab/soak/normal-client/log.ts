export type Kind = 'incoming' | 'find' | 'create' | 'send' | 'hello' | 'upload' | 'app' | 'chat'

/** One request of the normal client, timed from when it was due and not from when it could be sent. */
export type LogEntry = {
  kind: Kind
  /** In milliseconds since the start. */
  dueAtMs: number
  tookMs: number
  /** 0: no response. */
  status: number
  /** Its messageSid, or for an outgoing message its text. */
  name: string
  messageId?: string | undefined
  /** The error, if there was no response; else what a refusal says. */
  failure?: string | undefined
}

/** An event that arrived at the normal tenant's receiver. */
export type Arrival = { atMs: number; messageId: string; contact: string; body: string; webhookId: string }

export type ClientLog = {
  entries: LogEntry[]
  arrivals: Arrival[] /** How late our own timers were at most. */
  lateMs: number
}
