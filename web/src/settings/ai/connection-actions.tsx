import type { Connection } from '@patchbay/contract/app/connections.ts'
import Play from 'lucide-react/icons/play'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import type { ConnectionUse } from './use-connection.ts'
import { aiWords as words } from './words.ts'

type Props = ConnectionUse & { connection: Connection; mayChange: boolean }

/** The buttons under the fields: save what was changed, or try and delete what is saved. */
export function ConnectionActions({ connection, mayChange, form, isEdited, tryIt, remove }: Props) {
  const [isAsked, setAsked] = useState(false)
  if (!mayChange) return <Usage connection={connection} />
  if (isEdited) {
    return (
      <div className="row wrap">
        <Button type="submit" look="primary" busy={form.isSending && words.saving}>
          {words.save}
        </Button>
        <Button look="quiet" onClick={() => form.reset()}>
          {words.discard}
        </Button>
        <span className="small muted">{words.saveFirst}</span>
      </div>
    )
  }
  if (isAsked) return <AskRemove remove={remove} onClose={() => setAsked(false)} />
  return (
    <div className="row wrap">
      <Button busy={tryIt.isPending && words.trying} onClick={() => tryIt.mutate()}>
        <Play className="i" />
        {words.tryIt}
      </Button>
      <Usage connection={connection} />
      <Button
        look="quiet"
        className="end"
        busy={remove.isPending && words.removing}
        // One that is in use is refused, with the names of the campaigns; only another one must be asked about.
        onClick={() => (connection.usedBy.length > 0 ? remove.mutate() : setAsked(true))}
      >
        {words.remove}
      </Button>
    </div>
  )
}

function AskRemove({ remove, onClose }: Pick<ConnectionUse, 'remove'> & { onClose: () => void }) {
  const keep = useRef<HTMLButtonElement>(null)
  useEffect(() => keep.current?.focus(), [])
  return (
    <div className="row wrap">
      <Button ref={keep} onClick={onClose}>
        {words.keep}
      </Button>
      <Button look="destroy" busy={remove.isPending && words.removing} onClick={() => remove.mutate()}>
        {words.removeNow}
      </Button>
    </div>
  )
}

function Usage({ connection: { usedBy } }: { connection: Connection }) {
  const names = usedBy.map(({ name, model }) => (model === null ? name : words.withModel(name, model)))
  return <span className="muted">{names.length === 0 ? words.usedByNone : words.usedBy(names)}</span>
}
