import { useQuery } from '@tanstack/react-query'
import { read } from '../data/queries.ts'

/** A moment as clocks in a zone show it: Sat, 1 June 2026, 09:00 CEST. */
export function zonedTime(at: Date, zone: string, locale?: string): string {
  return at.toLocaleString(locale, {
    ...{ timeZone: zone, weekday: 'short', day: 'numeric', month: 'long', year: 'numeric' },
    ...{ hour: '2-digit', minute: '2-digit', timeZoneName: 'short' },
  })
}

/** A moment in the account's time zone, whose clock plans are made by. */
export function ZonedTime({ at }: { at: string }) {
  const { data } = useQuery(read('GET /api/account'))
  return (
    <time dateTime={at} title={data?.timeZone}>
      {data && zonedTime(new Date(at), data.timeZone)}
    </time>
  )
}
