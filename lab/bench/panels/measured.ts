import type { Cpu } from '../measure.ts'
import type { Beside } from './messages.ts'

export type Settings = { panels: number; seconds: number; replies: number; isPlain: boolean }

/** A server while nothing is said. */
export type Rest = {
  bytes: number
  /** Of one core. */
  shares: Cpu
  transactionsPerSecond: number
  comments: number
  listening: number
}

/** In milliseconds: until the person's request was answered, from then until shown, and from the transaction that stored it until shown. */
export type Replies = { answered: number[]; fromClick: number[]; fromStored: number[]; beside: Beside }

/** Times count from when the server is there again. */
export type Restart = {
  downSeconds: number
  backAfterMs: number[]
  refused: Record<string, number>
  cpu: Cpu
  stallMs: number
  beside: Beside
}
