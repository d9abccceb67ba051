import type { Connection } from '@patchbay/contract/app/connections.ts'
import Check from 'lucide-react/icons/check'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { type FormEvent, useId, useState } from 'react'
import { sayError } from '../../ui/error-state.tsx'
import { Note } from '../../ui/note.tsx'
import { Tag } from '../../ui/tag.tsx'
import { ConnectionActions } from './connection-actions.tsx'
import { ConnectionFields, type Draft, type Faults, faultsOf } from './connection-fields.tsx'
import { RefusedNote } from './refused-note.tsx'
import { useConnection } from './use-connection.ts'
import { aiWords as words } from './words.ts'

/** One connection: its fields, how the last try went, and who uses it. */
export function ConnectionCard({ connection, mayChange }: { connection: Connection; mayChange: boolean }) {
  // A draft knows the version that it was begun from: when somebody else saves meanwhile, the server refuses it.
  const [edited, setEdited] = useState<{ draft: Draft; version: number }>()
  const [faults, setFaults] = useState<Faults>({})
  const { save, tryIt, remove } = useConnection(connection, () => setEdited(undefined))
  const title = useId()
  const draft = edited?.draft ?? draftOf(connection)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const missing = faultsOf(draft, connection.kind)
    setFaults(missing ?? {})
    if (edited && !missing && !save.isPending) save.mutate(edited)
  }
  const error = save.error ?? tryIt.error ?? remove.error
  return (
    <form className="card" onSubmit={submit} noValidate aria-labelledby={title}>
      <div className="card-head">
        <h2 className="h-section grow" id={title}>
          {connection.name}
        </h2>
        <span className="small muted">{words.kinds[connection.kind]}</span>
        <Outcome connection={connection} isRefused={save.error !== null} />
      </div>
      <div className="card-body stack stack-4">
        <ConnectionFields
          {...{ draft, faults, kind: connection.kind, readOnly: !mayChange, hasKey: connection.hasKey }}
          losesKey={connection.hasKey && draft.baseUrl.trim() !== (connection.baseUrl ?? '')}
          onChange={(changed) => {
            setEdited({ draft: changed, version: edited?.version ?? connection.version })
            setFaults({})
            save.reset()
          }}
        />
        {error ? (
          <RefusedNote sentence={`${sayError(error).title} ${sayError(error).hint}`.trim()} />
        ) : (
          !edited && <LastTry lastTry={connection.lastTry} />
        )}
        <ConnectionActions
          {...{ connection, mayChange, save, tryIt, remove, isEdited: edited !== undefined }}
          onDiscard={() => {
            setEdited(undefined)
            save.reset()
          }}
        />
      </div>
    </form>
  )
}

function draftOf({ name, baseUrl, model, promptTokens }: Connection): Draft {
  return { name, baseUrl: baseUrl ?? '', model: model ?? '', apiKey: '', promptTokens: String(promptTokens) }
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
