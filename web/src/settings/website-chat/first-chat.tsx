import { useNavigate } from '@tanstack/react-router'
import { refreshChannels } from '../../channels/data/queries.ts'
import { Empty } from '../../ui/empty.tsx'
import { MadeBefore } from './line/made-before.tsx'
import { PageForm } from './line/page-form.tsx'
import { chatWords as words } from './words.ts'

/** Where there is none yet: it is made with its first page. */
export function FirstChat({ mayMake }: { mayMake: boolean }) {
  const navigate = useNavigate()
  const onMade = async (channel: string) => {
    await refreshChannels()
    return navigate({ to: '/settings/website-chat', search: { channel }, replace: true })
  }
  if (!mayMake) return <Empty art title={words.noneForMembers} />
  return (
    <div className="page narrow">
      <div className="stack">
        <h2 className="h-section">{words.none}</h2>
        <p className="muted chat-set-text">{words.noneSays}</p>
      </div>
      <PageForm onMade={onMade} />
      <MadeBefore onMade={onMade} />
    </div>
  )
}
