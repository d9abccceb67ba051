import { useMutation } from '@tanstack/react-query'
import Check from 'lucide-react/icons/check'
import Copy from 'lucide-react/icons/copy'
import Eye from 'lucide-react/icons/eye'
import KeyRound from 'lucide-react/icons/key-round'
import RefreshCw from 'lucide-react/icons/refresh-cw'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { useState } from 'react'
import { call } from '../../data/api.ts'
import { queryClient } from '../../data/queries.ts'
import { Button } from '../../ui/button.tsx'
import { sayError } from '../../ui/error-state.tsx'
import { shortDate } from '../../ui/format-time.ts'
import { Note } from '../../ui/note.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import { useCopy } from '../../ui/use-copy.ts'
import { Confirm } from './confirm.tsx'
import { accountWords as words } from './words.ts'

type NewKey = { apiKey: string; createdAt: string; endedFrom: string | null }

/** The API key. Only its hash is kept, so a new one is shown here once, until the page is left. */
export function KeySection({ madeAt, isOwner }: { madeAt: string | null; isOwner: boolean }) {
  const [isAsking, setAsking] = useState(false)
  const [fresh, setFresh] = useState<NewKey>()
  const generate = useMutation({
    mutationFn: () => call('POST /api/account/key'),
    onSuccess: (made) => {
      setFresh({ ...made, endedFrom: madeAt })
      setAsking(false)
      void queryClient.invalidateQueries({ queryKey: ['GET /api/account'] })
      void queryClient.invalidateQueries({ queryKey: ['GET /api/first-run'] })
    },
  })
  const says = (
    <>
      {words.apiKeySays} <span className="mono whole-word">{words.apiKeyHeader}</span>.
    </>
  )
  return (
    <Section title={words.apiKey} says={says}>
      {fresh && <FreshKey fresh={fresh} />}
      <div className="row wrap">
        {isOwner && (
          <Button
            aria-expanded={madeAt === null ? undefined : isAsking}
            busy={generate.isPending && !isAsking && words.generating}
            onClick={() => (madeAt === null ? generate.mutate() : setAsking(!isAsking))}
          >
            <RefreshCw className="i" />
            {words.generate}
          </Button>
        )}
        <span className="muted">
          {madeAt === null ? (
            words.noKey
          ) : (
            <>
              {words.made} <Time at={madeAt} />
            </>
          )}
          {!isOwner && ` ${words.ownerOnlyKey}`}
        </span>
      </div>
      {isAsking && madeAt !== null && (
        <Confirm
          words={{
            title: words.endsAtOnce,
            hint: words.endsHint(shortDate(new Date(madeAt), new Date())),
            keep: words.keepIt,
            doIt: words.endAndGenerate,
            doing: words.generating,
          }}
          isBusy={generate.isPending}
          onKeep={() => setAsking(false)}
          onDo={() => generate.mutate()}
        />
      )}
      {generate.error && (
        <Note icon={TriangleAlert} tone="fail" role="alert">
          {sayError(generate.error).title} {sayError(generate.error).hint}
        </Note>
      )}
    </Section>
  )
}

function FreshKey({ fresh: { apiKey, createdAt, endedFrom } }: { fresh: NewKey }) {
  const { copied, copy } = useCopy(apiKey)
  const at = new Date(createdAt)
  return (
    <div className="card fresh-key" role="status">
      <div className="card-body stack stack-3">
        <div className="row between wrap">
          <b className="strong row">
            <KeyRound className="i" />
            {words.newKey}
          </b>
          <span className="small wait row fresh-key-tight">
            <Eye className="i i-14" />
            {words.shownOnce}
          </span>
        </div>
        <div className="row wrap">
          <span className="copy whole key-text">
            <span className="grow">{apiKey}</span>
          </span>
          <Button look="primary" size="lg" onClick={copy}>
            {copied ? <Check className="i" /> : <Copy className="i" />}
            {copied ? words.copied : words.copy}
          </Button>
        </div>
        {endedFrom !== null && (
          <p className="small muted">
            {words.oldEnded(shortDate(new Date(endedFrom), at), at.toLocaleTimeString())}{' '}
            <span className="mono">{words.unauthorized}</span>.
          </p>
        )}
      </div>
    </div>
  )
}
