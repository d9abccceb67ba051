import type { ChannelInUse, ChannelSenders } from '@patchbay/contract/app/channels.ts'
import type { ProviderKindName } from '@patchbay/contract/channels.ts'
import { CallList, type ShownCall } from '../../ui/call-list.tsx'
import { providerNames } from '../../ui/channel.tsx'
import { cableIn, SignalBox, SignalCable, SignalPanel, SignalUs } from '../../ui/signal.tsx'
import { senderWords } from './kind-words.ts'
import type { Progress } from './progress.ts'
import { connectWords as words } from './words.ts'

/** What was asked before anything is saved. */
export type Asked = { at: string } & ChannelSenders

type Props = {
  kind: ProviderKindName
  channel: ChannelInUse | undefined
  progress: Progress
  asked?: Asked | undefined
}

/** The cable from the provider to us, and the calls that were really made. */
export function Proof({ kind, channel, progress, asked }: Props) {
  return (
    <>
      <SignalPanel label={words.signalLabel(providerNames[kind], progress.message)} height={200}>
        <SignalBox
          y={1}
          isOn={progress.secret || asked !== undefined}
          title={providerNames[kind]}
          says={channel?.address ?? asked?.of ?? words.noAddress}
          waits={progress.failing.secret !== undefined}
        />
        <SignalUs title={words.us} says={sayUs(kind, channel, progress)} />
        <SignalCable isOn={progress.message && progress.receiving} {...cableIn} />
      </SignalPanel>
      <div className="stack">
        <CallList
          title={words.calls}
          none={words.noCalls}
          calls={asked && !channel ? callsBefore(kind, asked) : callsOf(channel, progress)}
        />
        {asked?.remark && !channel && <p className="small muted">{asked.remark}</p>}
      </div>
    </>
  )
}

function sayUs(
  kind: ProviderKindName,
  channel: ChannelInUse | undefined,
  { secret, receiving, message }: Progress,
): string {
  if (!channel || !secret) return senderWords[kind].awaited
  if (!receiving) return words.usStands
  if (message) return channel.use.lastOutAt === null ? words.usKeeps : words.usAnswers
  return channel.receivingBy === 'poll' ? words.usFetches : words.usIsCalled
}

function callsBefore(kind: ProviderKindName, { at, of, senders }: Asked): ShownCall[] {
  const { choice } = senderWords[kind]
  if (!choice) return []
  return [
    { key: 'senders', at, what: choice.calls.senders, outcome: senders.length.toLocaleString() },
    { key: 'account', at, what: choice.calls.account, outcome: of },
  ]
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
