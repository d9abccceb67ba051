import '../../ui/surface.css'
import './ai.css'
import { useQuery } from '@tanstack/react-query'
import Info from 'lucide-react/icons/info'
import Plus from 'lucide-react/icons/plus'
import { useState } from 'react'
import { read } from '../../data/queries.ts'
import { useRefresh } from '../../data/use-refresh.ts'
import { shellWords } from '../../shell/words.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Note } from '../../ui/note.tsx'
import { WaitingBlock } from '../../ui/waiting.tsx'
import { SettingsPage } from '../settings-page.tsx'
import { ConnectionCard } from './connection-card.tsx'
import { NewConnection } from './new-connection.tsx'
import { aiWords as words } from './words.ts'

/** Settings › AI: connections to providers of language models. */
export function AiSettings() {
  const found = useQuery(read('GET /api/connections'))
  const me = useQuery(read('GET /api/session')).data
  const [isMaking, setMaking] = useState(false)
  useRefresh(['campaigns'], ['GET /api/connections'])
  const mayChange = me?.user.isOwner === true && !me.visiting
  const make = mayChange && !isMaking && (
    <Button look="primary" onClick={() => setMaking(true)}>
      <Plus className="i" />
      {words.fresh}
    </Button>
  )
  const connections = found.data?.connections
  return (
    <SettingsPage title={shellWords.ai} sub={words.says} head={<div className="row end">{make}</div>}>
      <div className="page narrow stack stack-4">
        {me && !mayChange && <Note icon={Info}>{words.ownerOnly}</Note>}
        {isMaking && <NewConnection onClose={() => setMaking(false)} />}
        {connections ? (
          connections.map((connection) => (
            <ConnectionCard connection={connection} mayChange={mayChange} key={connection.id} />
          ))
        ) : found.error ? (
          <ErrorState error={found.error} retry={() => void found.refetch()} />
        ) : (
          <WaitingBlock height={280} />
        )}
        {connections?.length === 0 && !isMaking && <Empty card art title={words.none} says={words.noneSays} />}
      </div>
    </SettingsPage>
  )
}
