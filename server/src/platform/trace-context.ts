import { randomBytes } from 'node:crypto'

/**
 * The `traceparent` of a request (W3C Trace Context), as version 00; undefined when there is none or it is not valid, which
 * includes one that was sent twice. What a later version may append is left out, as the standard asks for.
 */
export function readTraceparent(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string') return undefined
  const [, version, trace, parent, flags, more] = format.exec(header) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (trace === noTrace || parent === noSpan) return undefined
  return `00-${trace}-${parent}-${version === '00' ? flags : `0${Number(`0x${flags}`) & 1}`}`
}

const format = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const noTrace = '0'.repeat(32)
const noSpan = '0'.repeat(16)

/** The `traceparent` for a request of ours that the given one caused: the same trace, with a span of its own. */
export function childOf(traceparent: string): string {
  const { traceId } = partsOf(traceparent)
  return `00-${traceId}-${randomBytes(8).toString('hex')}-${traceparent.slice(-2)}`
}

/** The ids by which a log line is found. */
export function partsOf(traceparent: string): { traceId: string; spanId: string } {
  return { traceId: traceparent.slice(3, 35), spanId: traceparent.slice(36, 52) }
}
