import type { ChannelCheck, ChannelInUse } from '@patchbay/contract/app/channels.ts'
import { Time } from '../../ui/time.tsx'
import { againOf } from '../parts/again.ts'
import { CheckAct } from '../parts/check-act.tsx'
import { Checks } from '../parts/checks.tsx'
import { channelWords } from '../words.ts'
import { oneWords as words } from './words.ts'

/** What was found when the channel was last looked at, and when that was. */
export function Checked({ channel, mayChange }: { channel: ChannelInUse; mayChange: boolean }) {
  const { id, checks, checkedAt, lastEventAt, isHeld } = channel
  const aside = ({ name, state }: ChannelCheck) =>
    name === 'first message' && state === 'done' && lastEventAt !== null ? <Time at={lastEventAt} /> : null
  return (
    <section className="stack stack-3" aria-label={channelWords.checks}>
      <div className="row wrap between">
        <h2 className="h-section">{channelWords.checks}</h2>
        <span className="small faint">
          {isHeld ? words.notLooked : words.every(againOf(channel))}{' '}
          {checkedAt === null ? words.notYet : <Time at={checkedAt} as="second" />}
        </span>
      </div>
      <Checks
        checks={checks}
        aside={aside}
        {...(mayChange &&
          !isHeld && { act: (check) => check.reportsTo !== undefined && <CheckAct channelId={id} check={check} /> })}
      />
    </section>
  )
}
