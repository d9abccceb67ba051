import type { Connection } from '@patchbay/contract/app/connections.ts'
import Check from 'lucide-react/icons/check'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { useId } from 'react'
import { sayError } from '../../ui/error-state.tsx'
import { Note } from '../../ui/note.tsx'
import { Tag } from '../../ui/tag.tsx'
import { ConnectionActions } from './connection-actions.tsx'
import { ConnectionFields } from './connection-fields.tsx'
import { RefusedNote } from './refused-note.tsx'
import { useConnection } from './use-connection.ts'
import { aiWords as words } from './words.ts'

/** One connection: its fields, how the last try went, and who uses it. */
export function ConnectionCard({ connection, mayChange }: { connection: Connection; mayChange: boolean }) {
  const use = useConnection(connection)
  const { form, tryIt, remove } = use
  const title = useId()
  const error = form.failure ?? tryIt.error ?? remove.error
  return (
    <form {...form.form} className="card" aria-labelledby={title}>
      <div className="card-head">
        <h2 className="h-section grow" id={title}>
          {connection.name}
        </h2>
        <span className="small muted">{words.kinds[connection.kind]}</span>
        <Outcome connection={connection} isRefused={form.failure !== undefined} />
      </div>
      <div className="card-body stack stack-4">
        <ConnectionFields
          form={form}
          readOnly={!mayChange}
          hasKey={connection.hasKey}
          losesKey={connection.hasKey && form.values.baseUrl.trim() !== (connection.baseUrl ?? '')}
        />
        {error ? (
          <RefusedNote sentence={`${sayError(error).title} ${sayError(error).hint}`.trim()} />
        ) : (
          !use.isEdited && <LastTry lastTry={connection.lastTry} />
        )}
        <ConnectionActions {...use} connection={connection} mayChange={mayChange} />
      </div>
    </form>
  )
}

function Outcome({ connection: { lastTry }, isRefused }: { connection: Connection; isRefused: boolean }) {
  const outcome = isRefused ? 'refused' : lastTry?.outcome
  if (outcome === undefined) return null
  const Icon = outcome === 'answered' ? Check : TriangleAlert
  return (
    <Tag tone={outcome === 'answered' ? 'ok' : 'fail'}>
      <Icon className="i" />
      {words.outcomes[outcome]}
    </Tag>
  )
}

function LastTry({ lastTry }: Pick<Connection, 'lastTry'>) {
  if (!lastTry) return null
  if (lastTry.outcome !== 'answered') return <RefusedNote sentence={lastTry.sentence} />
  return (
    <Note icon={Check} tone="ok" role="status">
      {words.answered(lastTry.sentence, lastTry.durationMs)}
    </Note>
  )
}
