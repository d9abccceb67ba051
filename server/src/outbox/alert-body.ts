import type { AlertEvent } from '@patchbay/contract/alert-event.ts'

/** Chat tools refuse more than 2,000 characters in `content`. */
const mostCharacters = 1_900

export type Alert = Pick<AlertEvent, 'event' | 'accountId' | 'details' | 'text'> & { link: string | undefined }

/**
 * The body of an alert. The text is plain: who makes one puts what others wrote through `plain` before. Google Chat refuses a
 * document with fields that it does not know, so it gets the text alone.
 */
export function alertBody({ text, link, ...rest }: Alert, { id, url }: { id: string; url: string }): string {
  const short = text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text
  const shown = link === undefined ? short : `${short} ${link}`
  if (isGoogleChat(url)) return JSON.stringify({ text: shown })
  const body: AlertEvent = {
    text: shown,
    content: shown,
    mrkdwn: false,
    allowed_mentions: { parse: [] },
    event: rest.event,
    id,
    accountId: rest.accountId,
    at: new Date().toISOString(),
    ...(link !== undefined && { link }),
    details: rest.details,
  }
  return JSON.stringify(body)
}

/**
 * Whether the address is one of Google Chat: then an alert has no ids, by which one that names somebody would be found
 * and erased with them.
 */
export function isGoogleChat(url: string): boolean {
  return URL.canParse(url) && new URL(url).hostname === 'chat.googleapis.com'
}
