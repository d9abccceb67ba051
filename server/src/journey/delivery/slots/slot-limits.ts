/** What a receiver may get, by its transport. */
export type Pace = Readonly<{
  /** How many attempts may be in flight to one receiver. */
  inFlight: number
  /** An attempt without an answer after this time makes its receiver unhealthy. */
  slowAfterMs: number
}>

/** How many attempts may be in flight at once to all receivers together. */
export type SlotLimits = Readonly<{
  /** Attempts to healthy receivers, each in its first second. */
  healthy: number
  /**
   * Those attempts to healthy receivers that are the only one to their receiver. Were it no more than `healthy`, that
   * many receivers that begin to hang would delay all others until they are known to be unhealthy.
   */
  healthyFirst: number
  /**
   * Attempts to unhealthy receivers, and attempts to healthy ones that take long. Second attempts to a receiver get
   * half of it.
   */
  unhealthy: number
  /** The limit in every case: each attempt holds a socket and some memory. */
  total: number
}>

export const slotLimits: SlotLimits = { healthy: 64, healthyFirst: 256, unhealthy: 64, total: 512 }

/** Attempts in flight. `perReceiver`: as many as one may get. `quick`: to healthy receivers, in their first second. `slow`: all others. */
export type AttemptCounts = { toReceiver: number; perReceiver: number; quick: number; slow: number }

/** Whether one more attempt may start. A second one to the same receiver must leave plenty of slots for first ones. */
export function mayStart(
  limits: SlotLimits,
  { toReceiver, perReceiver, quick, slow }: AttemptCounts,
  isUnhealthy: boolean,
): boolean {
  const isFirst = toReceiver === 0
  if (toReceiver >= perReceiver || quick + slow >= (isFirst ? limits.total : limits.total / 2)) return false
  return isUnhealthy ? slow < limitWhenUnhealthy(limits, isFirst) : quick < limitWhenHealthy(limits, isFirst)
}

export function limitWhenHealthy({ healthy, healthyFirst }: SlotLimits, isFirst: boolean): number {
  return isFirst ? healthyFirst : healthy
}

export function limitWhenUnhealthy({ unhealthy }: SlotLimits, isFirst: boolean): number {
  return isFirst ? unhealthy : unhealthy / 2
}
