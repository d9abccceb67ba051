import './channel.css'
import type { Channel } from '@patchbay/contract/app/messages.ts'
import { type ChannelKind, kindNames, providerNames, sayBuiltIn } from '@patchbay/contract/channels.ts'

export { kindNames, providerNames }

/** Whether a name says more of a channel than its kind. */
export function hasOwnName({ kind, name }: Pick<Channel, 'kind' | 'name'>): boolean {
  return kind === null || name !== kindNames[kind]
}

/** A channel in full: its kind, where it has one, and its name. */
export function sayChannel({ kind, name }: Pick<Channel, 'kind' | 'name'>): string {
  return kind === null ? name : sayBuiltIn({ kind, name })
}

/**
 * The mark of a channel: the shape and the letter in it say which kind it is, and the colour says which one; a custom channel is a
 * jack. Its name is in the title and for screen readers.
 */
export function ChannelMark({ channel }: { channel: Channel }) {
  const { kind, colour } = channel
  return (
    <span className={kind === null ? markClass(colour) : 'kind-named'} title={sayChannel(channel)}>
      {kind !== null && <KindMark kind={kind} colour={colour} />}
      <span className="sr">{sayChannel(channel)}</span>
    </span>
  )
}

/** A channel by name, with its mark. */
export function ChannelLabel({ channel }: { channel: Channel }) {
  const { kind, colour, name } = channel
  return (
    <span className="channel" title={kind === null ? undefined : sayChannel(channel)}>
      {kind === null ? <CustomMark colour={colour} /> : <KindMark kind={kind} colour={colour} />}
      <bdi className="cut">{name}</bdi>
    </span>
  )
}

/** The jack of a custom channel alone: with its name beside it. */
export function CustomMark({ colour }: { colour: number }) {
  return <span className={markClass(colour)} aria-hidden="true" />
}

/** The outline of each kind, and its letter or lines. */
const shapes: Record<ChannelKind, [outline: string, letter: string]> = {
  telegram: [
    'M6.9.7a1.6 1.6 0 0 1 2.2 0l6.2 6.2a1.6 1.6 0 0 1 0 2.2l-6.2 6.2a1.6 1.6 0 0 1-2.2 0L.7 9.1a1.6 1.6 0 0 1 0-2.2z',
    'M5.2 5.6h5.6M8 5.6v5.5',
  ],
  sms: [
    'M4.1.7h7.8a3.4 3.4 0 0 1 3.4 3.4v7.8a3.4 3.4 0 0 1-3.4 3.4H4.1a3.4 3.4 0 0 1-3.4-3.4V4.1A3.4 3.4 0 0 1 4.1.7z',
    'M10.6 5.9C10.2 5 9.3 4.5 8 4.5c-1.5 0-2.6.7-2.6 1.8 0 2.6 5.3 1 5.3 3.6 0 1.1-1.1 1.8-2.7 1.8-1.4 0-2.3-.5-2.7-1.4',
  ],
  webchat: [
    'M2.2 1.6h11.6c.9 0 1.6.7 1.6 1.6v7.2c0 .9-.7 1.6-1.6 1.6H7.4L3.6 15v-3H2.2c-.9 0-1.6-.7-1.6-1.6V3.2c0-.9.7-1.6 1.6-1.6',
    'M.8 4.9h14.4M4 8.4h6',
  ],
}

/** The mark of a kind alone: with its name beside it. */
export function KindMark({ kind, colour }: { kind: ChannelKind; colour: number }) {
  const [outline, letter] = shapes[kind]
  return (
    <svg className={`kind-mark ${colourClass(colour)}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={outline} stroke="none" />
      <path d={letter} fill="none" />
    </svg>
  )
}

function markClass(colour: number): string {
  return `channel-mark ${colourClass(colour)}`
}

/** Colours are numbered 1 to 8, in order of first use. */
function colourClass(colour: number): string {
  return `channel-${((((colour - 1) % 8) + 8) % 8) + 1}`
}
