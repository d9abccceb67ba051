import './channel.css'
import type { Channel } from '@patchbay/contract/app/messages.ts'

/** The mark of a channel, drawn as a jack in the channel's colour; its name is in the title and for screen readers. */
export function ChannelMark({ channel }: { channel: Channel }) {
  return (
    <span className={markClass(channel.colour)} title={channel.label}>
      <span className="sr">{channel.label}</span>
    </span>
  )
}

/** A channel by name, with its mark. */
export function ChannelLabel({ channel }: { channel: Channel }) {
  return (
    <span className="channel">
      <span className={markClass(channel.colour)} aria-hidden="true" />
      <bdi className="cut">{channel.label}</bdi>
    </span>
  )
}

/** Colours are numbered 1 to 8, in order of first use. */
function markClass(colour: number): string {
  return `channel-mark channel-${((((colour - 1) % 8) + 8) % 8) + 1}`
}
