import type { CustomChannels } from '@patchbay/contract/app/channels.ts'
import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../ui/button.tsx'
import { CustomMark } from '../../ui/channel.tsx'
import { customStates } from '../parts/state-of.ts'
import { channelWords } from '../words.ts'
import { Cells } from './cells.tsx'
import { Trouble } from './trouble.tsx'
import { tableWords as words } from './words.ts'

/** All custom channels: they have one receiver, with a page of its own. */
export function CustomRow({ custom: { names, moreNames, host, state, use } }: { custom: CustomChannels }) {
  const isInNeed = customStates[state] === 'attention'
  const name = names.length === 0 ? words.customNone : words.moreNames(names.join(', '), moreNames)
  const says = words.customStates[state](use.waiting)
  return (
    <>
      <tr className={isInNeed ? 'channels-has-more' : undefined}>
        <th scope="row">
          <Link to="/settings/webhook" className="channels-name">
            <CustomMark colour={use.colour} />
            <b className="strong">
              <bdi>{name}</bdi>
            </b>
            <span className="small muted">
              {words.custom} · {host === null ? words.noHost : <bdi className="mono">{host}</bdi>}
            </span>
          </Link>
        </th>
        <Cells state={customStates[state]} today={use.today} lastInAt={null} lastOutAt={use.lastOutAt} />
        <td className="channels-about">{!isInNeed && says}</td>
      </tr>
      {isInNeed && (
        <tr className="channels-more">
          <td colSpan={5}>
            <Trouble why={says} next={use.waiting > 0 ? channelWords.waitsLonger(use.waiting) : ''}>
              <Link to="/settings/webhook" className={buttonClass('fail', 'sm')}>
                {words.openWebhook}
              </Link>
            </Trouble>
          </td>
        </tr>
      )}
    </>
  )
}
