import type { Handlers } from '../../business/sessions/handlers.ts'
import type { Db } from '../../platform/database/db.ts'
import { Refusal } from '../../platform/refusal.ts'
import { requireChannel } from '../channels/show.ts'
import { listRaw, type Position, sumCounted } from './event-log-store.ts'

type Routes = Extract<keyof Handlers, `${string} /api/channels/:channelId/events`>

const pageLength = 50

/** What a channel's provider sent and nobody here could read. */
export function providerEventHandlers({ db }: { db: Db }): Pick<Handlers, Routes> {
  return {
    'GET /api/channels/:channelId/events': async ({ session, params, query }) => {
      const channel = await requireChannel(db, session.accountId, params.channelId)
      const before = readCursor(query.before)
      const [rows, counted] = await Promise.all([
        listRaw(db, channel, { before, limit: pageLength + 1 }),
        sumCounted(db, channel),
      ])
      const page = rows.slice(0, pageLength)
      const last = rows.length > pageLength ? page.at(-1) : undefined
      return {
        events: page.map(({ at, ...event }) => ({ ...event, at: new Date(at) })),
        next: last ? `${last.id}~${last.at}` : null,
        counted,
      }
    },
  }
}

/** `text`: the `next` of a page. */
function readCursor(text: string | undefined): Position | undefined {
  if (text === undefined) return undefined
  const [id = '', at = ''] = text.split('~', 2)
  if (!/^[\da-f-]{36}$/.test(id) || !/^[\d :.+-]{10,40}$/.test(at) || Number.isNaN(Date.parse(at))) {
    throw new Refusal('INVALID_REQUEST', '`before` must be the `next` of an earlier page.')
  }
  return { id, at }
}
