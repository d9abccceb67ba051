import type { ChatLanguage } from '@patchbay/contract/chat/protocol.ts'

export type Times = ReturnType<typeof openTimes>

/** Times as the visitor writes them, where their browser speaks the chat's language; always in their zone. */
export function openTimes(language: ChatLanguage, spoken: readonly string[] = navigator.languages) {
  const locale = spoken.find((name) => name.toLowerCase().split('-')[0] === language) ?? language
  const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options)
  const [clock, weekday, date] = [
    format({ hour: 'numeric', minute: '2-digit' }),
    format({ weekday: 'long', hour: 'numeric', minute: '2-digit' }),
    format({ weekday: 'short', day: 'numeric', month: 'long' }),
  ]
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
  return {
    clock: (at: number) => clock.format(at),
    day: (at: number) => date.format(at),
    /** When somebody is there next: the hour, with the day where it is another one. */
    opening: (at: number, now: number) => {
      if (new Date(at).toDateString() === new Date(now).toDateString()) return clock.format(at)
      return at - now < 6 * 86_400_000 ? weekday.format(at) : `${date.format(at)}, ${clock.format(at)}`
    },
    bytes: (count: number, ofAll = count) => {
      const [unit, size] = ofAll >= 1_000_000 ? ['MB', 1_000_000] : ['KB', 1_000]
      return `${number.format(Math.max(count / size, 0))} ${unit}`
    },
    megabytes: (count: number) => number.format(count / 1_000_000),
  }
}
