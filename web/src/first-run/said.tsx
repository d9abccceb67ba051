import type { FirstRun } from '@patchbay/contract/app/first-run.ts'
import { Link } from '@tanstack/react-router'
import { ChannelLabel } from '../ui/channel.tsx'
import { Tag } from '../ui/tag.tsx'
import { firstRunWords as words } from './words.ts'

/** A message that came or went, with its conversation. */
export function SaidLine({ said, direction }: { said: NonNullable<FirstRun['message']>; direction: 'from' | 'to' }) {
  const name = said.contactName ?? words.somebody
  return (
    <div className="row wrap said">
      <ChannelLabel channel={said.channel} />
      <span className="said-text">
        <bdi>{words.said(said.text)}</bdi> <span className="faint">{words[direction](name)}</span>
      </span>
      {said.isSimulated && <Tag>{words.simulated}</Tag>}
      <Link className="end" to="/inbox/$contactId" params={{ contactId: said.contactId }}>
        {words.openInInbox}
      </Link>
    </div>
  )
}
