import type { Webhook } from '@patchbay/contract/app/receivers.ts'
import { useMutation } from '@tanstack/react-query'
import Pause from 'lucide-react/icons/pause'
import Play from 'lucide-react/icons/play'
import Zap from 'lucide-react/icons/zap'
import type { ReactNode } from 'react'
import { call } from '../../data/api.ts'
import { queryClient, read } from '../../data/queries.ts'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { countdown } from '../../ui/countdown.ts'
import { sayError } from '../../ui/error-state.tsx'
import { clockTime } from '../../ui/format-time.ts'
import { showToast } from '../../ui/toast.ts'
import { useNow } from '../../ui/use-now.ts'
import { AttemptStrip } from './attempt-strip.tsx'
import { Cable } from './cable.tsx'
import { proofOf } from './proof-of.ts'
import { webhookWords as words } from './words.ts'

/** The health of the receiver: is it us or them, since when, what did they say, is anything lost, and what can be done. */
export function Health({
  webhook,
  undelivered,
  isOwner,
}: {
  webhook: Webhook | null
  undelivered: number
  isOwner: boolean
}) {
  const isBad = webhook?.state === 'failing' || webhook?.state === 'gone'
  return (
    <section
      className={classes('conn', isBad && 'bad', webhook?.state === 'paused' && 'held')}
      aria-label={words.health}
    >
      <Cable webhook={webhook} />
      <div className="conn-2">
        <div className="stack stack-3">
          <p>{webhook ? <Story webhook={webhook} /> : <Says title={words.none}>{words.noneHint(undelivered)}</Says>}</p>
          {webhook && isOwner && <Acts webhook={webhook} />}
        </div>
        {webhook && webhook.attempts.length > 0 && <AttemptStrip attempts={webhook.attempts} />}
      </div>
    </section>
  )
}

function Says({ title, children }: { title: string; children: ReactNode }) {
  return (
    <>
      <b className="strong">{title}</b> <span className="muted">{children}</span>
    </>
  )
}

function Story({ webhook }: { webhook: Webhook }) {
  const now = useNow('second')
  const { state, failuresInRow, failingSince, probeAt, owed, undelivered, attempts } = webhook
  if (state === 'paused') return <Says title={words.paused}>{words.pausedHint(owed + undelivered)}</Says>
  if (state === 'gone') return <Says title={words.gone}>{words.goneHint}</Says>
  if (state === 'working') {
    const proof = proofOf(webhook)
    if (proof === 'refused') return <Says title={words.refused}>{words.refusedHint}</Says>
    if (proof === 'untried') return <Says title={words.untried}>{attempts.length === 0 && words.pluggedNone}</Says>
    return <Says title={webhook.lastSuccessAt === null ? words.tested : words.plugged}>{words.pluggedHint}</Says>
  }
  const since = failingSince ? clockTime(new Date(failingSince), now) : ''
  const title = failuresInRow === 1 ? words.failingOnce(since) : words.failing(failuresInRow, since)
  if (probeAt === null) return <Says title={title}>{words.failingHint}</Says>
  const left = Date.parse(probeAt) - now.getTime()
  return (
    <Says title={title}>
      {left > 0 ? (
        <>
          {words.nextTryIn} <span className="mono">{countdown(left)}</span>
        </>
      ) : (
        words.nextTryNow
      )}
      ; {words.inLine(Math.max(0, owed - 1))} {words.inLineHint}
    </Says>
  )
}

function Acts({ webhook: { state, owed } }: { webhook: Webhook }) {
  const act = useMutation({
    mutationFn: (what: 'try' | 'pause' | 'resume') => call(`POST /api/webhook/${what}`),
    onSuccess: (saved) => {
      queryClient.setQueryData(read('GET /api/webhook').queryKey, saved)
      void queryClient.invalidateQueries({ queryKey: ['GET /api/counts'] })
    },
    onError: (error) => showToast({ text: sayError(error).title }),
  })
  if (state === 'paused') {
    return (
      <div className="row">
        <Button look="primary" onClick={() => act.mutate('resume')}>
          <Play className="i" />
          {words.resume}
        </Button>
      </div>
    )
  }
  const canTry = state === 'failing' && owed > 0
  return (
    <div className="row">
      {canTry && (
        <Button
          look="primary"
          busy={act.isPending && act.variables === 'try' && words.trying}
          onClick={() => act.mutate('try')}
        >
          <Zap className="i" />
          {words.tryNow}
        </Button>
      )}
      <Button onClick={() => act.mutate('pause')}>
        <Pause className="i" />
        {words.pause}
      </Button>
    </div>
  )
}
