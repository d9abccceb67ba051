import { measureSms } from '@patchbay/contract/segments.ts'
import { makePlain } from './plain-signs.ts'

export type SaidSegments = {
  units: number
  /** How many fit into so many segments. */
  room: number
  segments: number
  /** What people see as characters that make it Unicode; none: it is plain, or in a script that is Unicode as a whole. */
  because: string[]
  /** How many segments it would have without those; undefined: not fewer. */
  without: number | undefined
  /** Those that have a plain sign. */
  typographic: string[]
}

/** Of a text with more of them nobody would leave them out: it is of another script. */
const mostLeftOut = 8

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** What a text costs, and which of its characters make it cost more. */
export function saySegments(text: string): SaidSegments {
  const { units, room, segments, unicode } = measureSms(text)
  const strange = new Set(unicode)
  const all = Array.from(characters.segment(text), ({ segment }) => segment)
  const isStrange = (one: string) => [...one].some((point) => strange.has(point))
  const because = [...new Set(all.filter(isStrange))]
  if (because.length > mostLeftOut) return { units, room, segments, because: [], without: undefined, typographic: [] }
  const rest = measureSms(all.filter((one) => !isStrange(one)).join('')).segments
  return {
    ...{ units, room, segments, because },
    without: rest < segments ? rest : undefined,
    typographic: because.filter((one) => makePlain(one) !== one),
  }
}
