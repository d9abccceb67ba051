import type { ChannelInUse } from '@patchbay/contract/app/channels.ts'
import type { ChannelKind } from '@patchbay/contract/channels.ts'
import { CallList, type ShownCall } from '../../ui/call-list.tsx'
import { kindNames } from '../../ui/channel.tsx'
import { cableIn, SignalBox, SignalCable, SignalPanel, SignalUs } from '../../ui/signal.tsx'
import type { Progress } from './progress.ts'
import { connectWords as words } from './words.ts'

type Props = { kind: ChannelKind; channel: ChannelInUse | undefined; progress: Progress }

/** The cable from the provider to us, and the calls that were really made. */
export function Proof({ kind, channel, progress }: Props) {
  return (
    <>
      <SignalPanel label={words.signalLabel(kindNames[kind], progress.message)} height={200}>
        <SignalBox
          y={1}
          isOn={progress.secret}
          title={kindNames[kind]}
          says={channel?.address ?? words.noAddress}
          waits={progress.failing.secret !== undefined}
        />
        <SignalUs title={words.us} says={sayUs(channel, progress)} />
        <SignalCable isOn={progress.message && progress.receiving} {...cableIn} />
      </SignalPanel>
      <div className="stack">
        <CallList title={words.calls} none={words.noCalls} calls={callsOf(channel, progress)} />
      </div>
    </>
  )
}

function sayUs(channel: ChannelInUse | undefined, { secret, receiving, message }: Progress): string {
  if (!channel || !secret) return words.usWaits
  if (!receiving) return words.usStands
  if (message) return channel.use.lastOutAt === null ? words.usKeeps : words.usAnswers
  return channel.receivingBy === 'poll' ? words.usFetches : words.usIsCalled
}

/** What is known of real calls, newest first. */
function callsOf(channel: ChannelInUse | undefined, { failing }: Progress): ShownCall[] {
  if (!channel) return []
  const { address, attention, checkedAt, checks, lastEventAt, receivingBy, use } = channel
  const { call, outcome } = words
  const isDone = (name: string) => checks.some((check) => check.name === name && check.state === 'done')
  const isFetchRefused = attention?.reason === 'other reader' && failing.receiving?.reportsTo === undefined
  const known: (Omit<ShownCall, 'at'> & { at: string | null | undefined })[] = [
    { key: 'reply', at: use.lastOutAt, what: call.reply, outcome: outcome.taken },
    { key: 'message', at: lastEventAt, what: call.message, outcome: outcome.kept },
    {
      key: 'fetch',
      at: isFetchRefused ? attention.since : null,
      what: call.fetch,
      outcome: outcome.refused,
      tone: 'fail',
    },
    {
      key: 'where',
      at: isDone('receiving') || (failing.receiving && !isFetchRefused) ? checkedAt : null,
      what: call.where,
      ...(isDone('receiving')
        ? { outcome: receivingBy === 'poll' ? outcome.fetched : outcome.here }
        : { outcome: failing.receiving?.reportsTo ?? outcome.failing, tone: 'fail' as const }),
    },
    {
      key: 'who',
      at: checkedAt,
      what: call.who,
      ...(failing.secret ? { outcome: outcome.refused, tone: 'fail' as const } : { outcome: address }),
    },
  ]
  return known
    .flatMap(({ at, ...rest }) => (at ? [{ ...rest, at }] : []))
    .sort((one, other) => other.at.localeCompare(one.at))
}
