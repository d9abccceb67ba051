import './jack.css'
import type { Channel } from '@patchbay/contract/app/messages.ts'

/** The jack of a channel, in the colour of its cable; its name is in the title and for screen readers. */
export function Jack({ channel }: { channel: Channel }) {
  return (
    <span className={jackClass(channel.colour)} title={channel.label}>
      <span className="sr">{channel.label}</span>
    </span>
  )
}

/** A channel by name, with its jack. */
export function ChannelLabel({ channel }: { channel: Channel }) {
  return (
    <span className="channel">
      <span className={jackClass(channel.colour)} aria-hidden="true" />
      <bdi className="cut">{channel.label}</bdi>
    </span>
  )
}

/** Colours are numbered 1 to 8, in order of first use. */
function jackClass(colour: number): string {
  return `jack c${((((colour - 1) % 8) + 8) % 8) + 1}`
}
