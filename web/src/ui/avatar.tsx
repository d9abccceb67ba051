import './avatar.css'
import type { Channel } from '@patchbay/contract/app/messages.ts'
import { ChannelMark } from './channel.tsx'
import { classes } from './classes.ts'
import { initials } from './initials.ts'

/** Somebody's initials, with the mark of the channel they write on. The name stands beside it, so it is hidden from readers. */
export function Avatar({
  name,
  channel,
  size = 'md',
  mine = false,
}: {
  name: string | null
  channel?: Channel | null
  size?: 'md' | 'lg'
  mine?: boolean
}) {
  return (
    <span className={classes('avatar', size === 'lg' && 'avatar-lg', mine && 'me')} aria-hidden="true">
      {initials(name)}
      {channel && <ChannelMark channel={channel} />}
    </span>
  )
}
