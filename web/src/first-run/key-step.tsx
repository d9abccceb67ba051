import type { FirstRun } from '@patchbay/contract/app/first-run.ts'
import { useMutation } from '@tanstack/react-query'
import Eye from 'lucide-react/icons/eye'
import { useState } from 'react'
import { call } from '../data/api.ts'
import { queryClient } from '../data/queries.ts'
import { Button } from '../ui/button.tsx'
import { CopyLine } from '../ui/copy-line.tsx'
import { sayError } from '../ui/error-state.tsx'
import { Step } from './step.tsx'
import { firstRunWords as words } from './words.ts'

type Props = { steps: FirstRun; apiKey: string | undefined; isOwner: boolean; onMade: (apiKey: string) => void }

export function KeyStep({ steps, apiKey, isOwner, onMade }: Props) {
  const [isAsking, setAsking] = useState(false)
  const generate = useMutation({
    mutationFn: () => call('POST /api/account/key'),
    onSuccess: (made) => {
      onMade(made.apiKey)
      setAsking(false)
      for (const route of ['GET /api/first-run', 'GET /api/account']) {
        void queryClient.invalidateQueries({ queryKey: [route] })
      }
    },
  })
  const busy = generate.isPending && words.generating
  return (
    <Step steps={steps} name="key" at={steps.key?.createdAt}>
      {apiKey !== undefined ? (
        <div className="row wrap">
          <CopyLine whole text={apiKey} what={words.keyWhat} />
          <span className="small wait row fr-tight">
            <Eye className="i i-14" />
            {words.keyShown}
          </span>
        </div>
      ) : !isOwner ? (
        steps.key === null && <p className="muted">{words.ownerOnly}</p>
      ) : steps.key === null ? (
        <>
          <p className="muted">{words.keySays}</p>
          <div>
            <Button look="primary" busy={busy} onClick={() => generate.mutate()}>
              {words.generate}
            </Button>
          </div>
        </>
      ) : isAsking ? (
        <div className="note wait-bg wrap" role="alert">
          <b className="strong grow note-ask">{words.keyEnds}</b>
          <div className="row">
            <Button size="sm" onClick={() => setAsking(false)}>
              {words.keepIt}
            </Button>
            <Button size="sm" look="destroy" busy={busy} onClick={() => generate.mutate()}>
              {words.endIt}
            </Button>
          </div>
        </div>
      ) : (
        <p className="muted">
          {words.keyNotShown}{' '}
          <button type="button" className="link" onClick={() => setAsking(true)}>
            {words.keyLost}
          </button>
        </p>
      )}
      {generate.error && <span className="error">{sayError(generate.error).title}</span>}
    </Step>
  )
}
