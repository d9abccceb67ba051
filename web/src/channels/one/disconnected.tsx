import { type ChannelKind, hasProvider } from '@patchbay/contract/channels.ts'
import { Link } from '@tanstack/react-router'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { buttonClass } from '../../ui/button.tsx'
import { providerNames } from '../../ui/channel.tsx'
import { CopyLine } from '../../ui/copy-line.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Note } from '../../ui/note.tsx'
import { oneWords as words } from './words.ts'

type Props = { name: string; kind: ChannelKind; left: string | null }

/** In place of a channel that was disconnected here: what is left of it at its provider, if anything is. */
export function Disconnected({ name, kind, left }: Props) {
  return (
    <div className="stack stack-4" role="status">
      {left !== null && (
        <Note tone="wait" icon={TriangleAlert}>
          <div className="stack">
            <p>{words.left(providerNames[kind])}</p>
            <CopyLine text={left} what={words.leftWhat} />
            <p className="muted">{words.leftSays}</p>
          </div>
        </Note>
      )}
      <Empty
        title={words.isDisconnected(name)}
        says={hasProvider(kind) ? words.isDisconnectedSays : words.ownIsDisconnectedSays}
      >
        <Link to="/channels" className={buttonClass('primary')}>
          {words.toChannels}
        </Link>
      </Empty>
    </div>
  )
}
