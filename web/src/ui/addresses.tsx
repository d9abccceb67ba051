import './addresses.css'
import type { Channel, ReplyWay } from '@patchbay/contract/app/messages.ts'
import type { ReactNode } from 'react'
import { ChannelMark, sayChannel } from './channel.tsx'
import { CopyLine } from './copy-line.tsx'
import { formatPhone } from './format-phone.ts'
import { uiWords } from './words.ts'

export type Address = {
  channel: Channel
  address: string
  whyNot: ReplyWay['whyNot']
  hasFailed?: boolean
  says?: ReactNode
}

/** How somebody is reached: the address, its channel, and what is known of it. */
export function Addresses({ addresses }: { addresses: readonly Address[] }) {
  return (
    <ul className="addresses">
      {addresses.map(({ channel, address, whyNot, hasFailed = false, says }) => (
        <li key={`${channel.label} ${address}`}>
          <span className="addresses-mark" aria-hidden="true">
            <ChannelMark channel={channel} />
          </span>
          <CopyLine bare text={address} shown={formatPhone(address)} what={uiWords.address(address)} />
          <span className="addresses-says">
            <bdi>{channel.kind === null ? uiWords.ownPlatform : sayChannel(channel)}</bdi>
            {whyNot !== null && <span className="fail"> · {sayWhyNot(whyNot, address)}</span>}
            {says && <> · {says}</>}
            {whyNot === null && hasFailed && <span className="fail"> · {uiWords.lastFailed}</span>}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** Whoever is known by a number has ended it by a word. */
function sayWhyNot(whyNot: NonNullable<Address['whyNot']>, address: string): string {
  return whyNot === 'stopped' && address.startsWith('+') ? uiWords.numberStopped : uiWords.whyNot[whyNot]
}
