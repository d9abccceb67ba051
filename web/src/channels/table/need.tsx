import type { ChannelInUse } from '@patchbay/contract/app/channels.ts'
import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../ui/button.tsx'
import { Time } from '../../ui/time.tsx'
import { againOf } from '../parts/again.ts'
import { CheckAct } from '../parts/check-act.tsx'
import { sayReason } from '../parts/say-reason.ts'
import { whatComes } from '../parts/what-comes.ts'
import { channelWords } from '../words.ts'
import { Trouble } from './trouble.tsx'
import { tableWords as words } from './words.ts'

/** Why a channel needs somebody: the reason, what waits, what can be done. */
export function Need({ channel, isOwner }: { channel: ChannelInUse; isOwner: boolean }) {
  const { id, kind, attention, checks, use } = channel
  if (!attention) return null
  const taken = checks.find(({ reportsTo }) => reportsTo !== undefined)
  return (
    <Trouble
      why={taken?.reportsTo === undefined ? sayReason(kind, attention.reason) : channelWords.reportsTo(taken.reportsTo)}
      since={
        <>
          {words.since} <Time at={attention.since} as="clock" />. {whatComes(channel)}
        </>
      }
      next={`${use.waiting > 0 ? channelWords.waits(use.waiting) : ''} ${againOf(channel)}`.trim()}
    >
      {isOwner && taken ? (
        <CheckAct channelId={id} check={taken} />
      ) : (
        <Link
          to="/channels/$channelId"
          params={{ channelId: id }}
          hash={attention.reason === 'credentials' ? 'credentials' : ''}
          className={buttonClass('fail', 'sm')}
        >
          {isOwner && attention.reason === 'credentials' ? words.enterToken : words.open}
        </Link>
      )}
    </Trouble>
  )
}
