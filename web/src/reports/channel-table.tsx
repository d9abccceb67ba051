import '../ui/surface.css'
import type { Report } from '@patchbay/contract/app/reports.ts'
import { formatCredits } from '../credits/amount.ts'
import { ChannelLabel } from '../ui/channel.tsx'
import { Table } from '../ui/table.tsx'
import { reportWords as words } from './words.ts'

/** The same figures for each channel, the busiest first. */
export function ChannelTable({ channels, isMetered }: Pick<Report, 'channels' | 'isMetered'>) {
  const { channelColumns: names } = words
  return (
    <section className="card" aria-labelledby="by-channel">
      <div className="card-head">
        <h2 className="h-section" id="by-channel">
          {words.byChannel}
        </h2>
      </div>
      {channels.length === 0 ? (
        <p className="card-body muted">{words.noChannels}</p>
      ) : (
        <Table label={words.byChannel} inCard className="channel-table">
          <thead>
            <tr>
              <th>{names.channel}</th>
              {(['in', 'resolved', 'out', 'response', 'p90', 'delivered'] as const).map((name) => (
                <th className="num" key={name}>
                  {names[name]}
                </th>
              ))}
              {isMetered && <th className="num">{names.credits}</th>}
            </tr>
          </thead>
          <tbody>
            {channels.map(({ channel, figures }) => (
              <Row key={channel?.label ?? ''} channel={channel} figures={figures} isMetered={isMetered} />
            ))}
          </tbody>
        </Table>
      )}
    </section>
  )
}

function Row({ channel, figures, isMetered }: Report['channels'][number] & Pick<Report, 'isMetered'>) {
  const { messagesIn, messagesOut, botResolved, botConversations, response, delivery } = figures
  return (
    <tr>
      <th scope="row">
        {channel ? (
          <ChannelLabel channel={channel} />
        ) : (
          <span className="muted" title={words.formerHint}>
            {words.former}
          </span>
        )}
      </th>
      <td className="num" data-label={words.channelColumns.in}>
        {words.number(messagesIn)}
      </td>
      <td className="num" data-label={words.channelColumns.resolved}>
        {words.percent(botResolved, botConversations)}
      </td>
      <td className="num" data-label={words.channelColumns.out}>
        {words.number(messagesOut)}
      </td>
      <td className="num" data-label={words.channelColumns.response}>
        {words.duration(response.medianMs)}
      </td>
      <td className="num" data-label={words.channelColumns.p90}>
        {words.duration(response.p90Ms)}
      </td>
      <td className="num" data-label={words.channelColumns.delivered}>
        {words.exactPercent(delivery.sent, delivery.sent + delivery.failed)}
      </td>
      {isMetered && (
        <td className="num" data-label={words.channelColumns.credits}>
          {formatCredits(figures.credits)}
        </td>
      )}
    </tr>
  )
}
