import type { ChannelInUse } from '@patchbay/contract/app/channels.ts'
import { ChannelMark, providerNames } from '../../ui/channel.tsx'
import { CopyLine } from '../../ui/copy-line.tsx'
import { KeyValues } from '../../ui/kv.tsx'
import { Time } from '../../ui/time.tsx'
import { oneWords as words } from './words.ts'

/** Who people write to. */
export function Sender({ channel }: { channel: ChannelInUse }) {
  const { id, kind, name, address, createdAt, receivingBy, use } = channel
  const provider = providerNames[kind]
  return (
    <section className="stack stack-3" aria-label={words.sender}>
      <h2 className="h-section">{words.sender}</h2>
      <div className="one-channel-sender">
        <ChannelMark channel={{ label: id, name, kind, colour: use.colour }} />
        <div className="grow">
          <b className="strong">
            <bdi>{name}</bdi>
          </b>
          <div className="mono muted">{address}</div>
        </div>
      </div>
      <KeyValues
        lines={[
          [words.receiving, receivingBy === 'hook' ? words.receivingBy.hook(provider) : words.receivingBy.poll],
          [words.since, <Time key="since" at={createdAt} />],
          [words.channelId, <CopyLine bare key="id" text={id} what={words.channelIdCopy} />],
        ]}
      />
    </section>
  )
}
