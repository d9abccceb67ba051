import { sayBuiltIn } from '@patchbay/contract/channels.ts'
import type { Handlers } from '../../../business/sessions/handlers.ts'
import { findChannels, type ShownChannel } from '../../../people/contacts/channel-store.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { AccountId } from '../../../platform/ids.ts'
import { csvLine, csvStart } from '../../../platform/text/csv.ts'
import { noChannel } from '../sums/quarter-store.ts'
import { figuresOf, type ReportQuery, readReport, readSpan } from './read-report.ts'
import { readLabels, readReportedAccount, type ShownDay } from './report-store.ts'

export function reportHandlers(db: Db): Pick<Handlers, `GET /api/reports${'' | '/csv'}`> {
  return {
    'GET /api/reports': ({ session, query }) => readReport(db, session.accountId, query),
    'GET /api/reports/csv': async ({ session, query, http, reply }) => {
      reply.type('text/csv; charset=utf-8').header('content-disposition', 'attachment; filename="reports.csv"')
      return http.method === 'HEAD' ? reply.send() : reply.send(await reportCsv(db, session.accountId, query))
    },
  }
}

const head = [
  ...['Day', 'Time zone', 'Channel', 'Messages in', 'Messages out'],
  ...['Answered by bot', 'Answered by person', 'Answered by API', 'Answered by nobody'],
  ...['First responses', 'First response median (s)', 'First response p90 (s)'],
  ...['Conversation days with bot replies', 'Resolved by bot', 'Unanswered questions'],
  ...['Delivered', 'Given up', 'To be delivered', 'Delivery median (ms)', 'Credits'],
]

/** A row for each day and channel, and one for all channels together; at most some hundred days of a few channels. */
async function reportCsv(db: Db, accountId: AccountId, asked: ReportQuery): Promise<string> {
  const [{ today, timeZone }, labels] = await Promise.all([
    readReportedAccount(db, accountId),
    readLabels(db, accountId),
  ])
  const { days } = await readSpan(db, accountId, { asked, today, labels })
  const channels = await findChannels(db, accountId, new Set([...labels.values()].flatMap((label) => label ?? [])))
  const nameOf = ({ channel }: ShownDay) => (channel === noChannel ? 'All' : sayChannel(labels.get(channel), channels))
  return `${csvStart}${csvLine(head)}${days.map((day) => lineOf(day, timeZone, nameOf(day))).join('')}`
}

/** A built-in one by its kind and its name, as people know it. */
function sayChannel(label: string | null | undefined, channels: (label: string) => ShownChannel): string {
  if (label === null || label === undefined) return 'Former channel'
  const { name, kind } = channels(label)
  return kind === null ? name : sayBuiltIn({ kind, name })
}

function lineOf(day: ShownDay, timeZone: string, channel: string): string {
  const figures = figuresOf([day])
  const { response, delivery } = figures
  const seconds = (ms: number | null) => (ms === null ? null : ms / 1_000)
  return csvLine([
    ...[day.day, timeZone, channel, figures.messagesIn, figures.messagesOut],
    ...[figures.byBot, figures.byPerson, figures.byApi, figures.byNobody],
    ...[response.times, seconds(response.medianMs), seconds(response.p90Ms)],
    ...[figures.botConversations, figures.botResolved, figures.unanswered],
    ...[delivery.sent, delivery.failed, delivery.open, delivery.medianMs, figures.credits],
  ])
}
