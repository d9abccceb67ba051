/** How many attempts may be on their way at once. All but `perReceiver` are for all receivers together. */
export type SlotLimits = Readonly<{
  perReceiver: number
  /** To receivers that are well, in their first second. */
  inAll: number
  /**
   * As far as each is the only one to its receiver. Were it no more than `inAll`, so many receivers that begin to hang
   * would hold up everybody else until that is known of them.
   */
  firstOfEach: number
  /** To receivers in unhealthy, and of those that are well the ones that take long; half of it as second ones and more. */
  inDoubt: number
  /** Whatever happens: each holds a socket and some memory. */
  most: number
}>

export function slotLimits(perReceiver: number): SlotLimits {
  return { perReceiver, inAll: 64, firstOfEach: 256, inDoubt: 64, most: 512 }
}

/** Now on their way: `quick` to receivers that are well, in their first second; `slow` those in unhealthy and the others. */
export type Underway = { toThis: number; quick: number; slow: number }

/** Whether one more may leave. The second to a receiver, and any more, may only as long as plenty is left for the first. */
export function mayStart(limits: SlotLimits, { toThis, quick, slow }: Underway, isUnhealthy: boolean): boolean {
  const isFirst = toThis === 0
  if (toThis >= limits.perReceiver || quick + slow >= (isFirst ? limits.most : limits.most / 2)) return false
  return isUnhealthy ? slow < limitWhenUnhealthy(limits, isFirst) : quick < limitWhenHealthy(limits, isFirst)
}

export function limitWhenHealthy({ inAll, firstOfEach }: SlotLimits, isFirst: boolean): number {
  return isFirst ? firstOfEach : inAll
}

export function limitWhenUnhealthy({ inDoubt }: SlotLimits, isFirst: boolean): number {
  return isFirst ? inDoubt : inDoubt / 2
}
