export const partNames = ['kept', 'searchable', 'counted', 'answered', 'received'] as const
type PartName = (typeof partNames)[number]

export const partWords: Record<PartName, string> = {
  kept: 'in → kept',
  searchable: '→ found by the search',
  counted: '→ counted in the reports',
  answered: '→ answered by the bot',
  received: '→ read by the receiver',
}

/** CPU of one part of the journey in microseconds, and where it was measured. Undefined: it is in that of another part. */
export type PartCpu = { node: number; postgres: number; from: string } | undefined

export type JourneyCpu = Record<PartName, PartCpu>
