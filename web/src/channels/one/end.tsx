import type { ChannelInUse } from '@patchbay/contract/app/channels.ts'
import { hasProvider } from '@patchbay/contract/channels.ts'
import { useMutation } from '@tanstack/react-query'
import Unplug from 'lucide-react/icons/unplug'
import { useState } from 'react'
import { call } from '../../data/api.ts'
import { AskDestroy } from '../../ui/ask-destroy.tsx'
import { Button } from '../../ui/button.tsx'
import { providerNames } from '../../ui/channel.tsx'
import { PauseButton } from './pause-button.tsx'
import { oneWords as words } from './words.ts'

type Props = { channel: ChannelInUse; onRemoved: (left: string | null) => void }

/** Pause, resume, disconnect. Only disconnecting asks: the token is gone with it. */
export function End({ channel, onRemoved }: Props) {
  const [isAsking, setAsking] = useState(false)
  return (
    <section className="stack stack-3 one-channel-end" aria-label={words.end}>
      <h2 className="h-section">{words.end}</h2>
      <p className="muted one-channel-text">{hasProvider(channel.kind) ? words.endSays : words.ownEndSays}</p>
      {isAsking ? (
        <Ask channel={channel} onRemoved={onRemoved} onKeep={() => setAsking(false)} />
      ) : (
        <div className="row wrap">
          <PauseButton channel={channel} />
          <Button look="fail" onClick={() => setAsking(true)}>
            <Unplug className="i" />
            {words.disconnect}
          </Button>
        </div>
      )}
    </section>
  )
}

function Ask({ channel, onRemoved, onKeep }: Props & { onKeep: () => void }) {
  const { id, name, kind, address, receivingBy, use } = channel
  const isOwn = !hasProvider(kind)
  const disconnect = useMutation({
    mutationFn: () => call('DELETE /api/channels/:channelId', { params: { channelId: id } }),
    onSuccess: ({ left }) => onRemoved(left),
  })
  return (
    <AskDestroy
      destroy={disconnect}
      words={{ doIt: words.disconnectIt, doing: words.disconnecting, keep: words.keepIt }}
      onKeep={onKeep}
    >
      <p>
        <b className="strong">{words.disconnectAsk(name)}</b>
      </p>
      <div className="one-channel-two">
        <Lines
          title={words.ends}
          lines={isOwn ? words.ownEndsSays : words.endsSays(providerNames[kind], receivingBy === 'hook', use.waiting)}
        />
        <Lines title={words.stays} lines={isOwn ? words.ownStaysSays : words.staysSays(address)} />
      </div>
    </AskDestroy>
  )
}

function Lines({ title, lines }: { title: string; lines: readonly string[] }) {
  return (
    <div>
      <h3 className="label">{title}</h3>
      <ul className="one-channel-lines">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  )
}
