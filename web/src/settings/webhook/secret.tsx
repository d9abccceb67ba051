import { useMutation } from '@tanstack/react-query'
import Eye from 'lucide-react/icons/eye'
import EyeOff from 'lucide-react/icons/eye-off'
import RefreshCw from 'lucide-react/icons/refresh-cw'
import { useState } from 'react'
import { call } from '../../data/api.ts'
import { queryClient, read } from '../../data/queries.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { sayError } from '../../ui/error-state.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { showToast } from '../../ui/toast.ts'
import { uiWords } from '../../ui/words.ts'
import { RevealForm } from './reveal-form.tsx'
import { webhookWords as words } from './words.ts'

/** The receivers, by their routes: that of replies, that of an agency's recharge requests, and that of alerts. */
export type ReceiverPath = '/api/webhook' | '/api/agency/webhook' | '/api/alerts/webhook'

/** The signing secret: hidden until the password is given, or made anew. */
export function Secret({ oldUntil, of = '/api/webhook' }: { oldUntil: string | null; of?: ReceiverPath }) {
  const [secret, setSecret] = useState<string>()
  const [open, setOpen] = useState<'reveal' | 'rotate'>()
  const show = (shown: string) => {
    setSecret(shown)
    setOpen(undefined)
  }
  return (
    <div className="field">
      <span className="label">{words.secret}</span>
      <div className="row wrap">
        <span className={secret === undefined ? 'copy secret-line' : 'copy secret-line whole'}>
          <span className={secret === undefined ? 'grow cut' : 'grow'}>{secret ?? words.masked}</span>
          {secret === undefined ? (
            <IconButton
              label={words.reveal}
              small
              aria-expanded={open === 'reveal'}
              onClick={() => setOpen(open === 'reveal' ? undefined : 'reveal')}
            >
              <Eye className="i" />
            </IconButton>
          ) : (
            <>
              <IconButton label={words.hide} small onClick={() => setSecret(undefined)}>
                <EyeOff className="i" />
              </IconButton>
              <CopyButton text={secret} label={uiWords.copyIt(words.secretWhat)} />
            </>
          )}
        </span>
        <Button aria-expanded={open === 'rotate'} onClick={() => setOpen(open === 'rotate' ? undefined : 'rotate')}>
          <RefreshCw className="i" />
          {words.rotate}
        </Button>
      </div>
      {open === 'reveal' && <RevealForm of={of} onShown={show} onCancel={() => setOpen(undefined)} />}
      {open === 'rotate' && <RotateForm of={of} onMade={show} onCancel={() => setOpen(undefined)} />}
      {oldUntil === null ? <span className="hint">{words.secretHint}</span> : <OldSecret of={of} until={oldUntil} />}
    </div>
  )
}

type RotateProps = { of: ReceiverPath; onMade: (secret: string) => void; onCancel: () => void }

function RotateForm({ of, onMade, onCancel }: RotateProps) {
  const rotate = useMutation({
    mutationFn: (leaked: boolean) => call(`POST ${of}/rotate`, { body: { leaked } }),
    onSuccess: ({ secret }) => {
      onMade(secret)
      showToast({ text: words.rotated, icon: RefreshCw })
      void queryClient.invalidateQueries({ queryKey: [`GET ${of}`] })
    },
    onError: (error) => showToast({ text: sayError(error).title }),
  })
  const isPending = (leaked: boolean) => rotate.isPending && rotate.variables === leaked && words.rotating
  return (
    <div className="note wait-bg">
      <div className="stack">
        <div>
          <b className="strong">{words.rotateAsk}</b> <span className="muted">{words.rotateHint}</span>
        </div>
        <div className="row wrap">
          <Button size="sm" busy={isPending(false)} onClick={() => rotate.mutate(false)}>
            {words.rotateKeep}
          </Button>
          <Button size="sm" look="destroy" busy={isPending(true)} onClick={() => rotate.mutate(true)}>
            {words.rotateLeaked}
          </Button>
          <Button size="sm" look="quiet" onClick={onCancel}>
            {words.cancel}
          </Button>
        </div>
      </div>
    </div>
  )
}

function OldSecret({ of, until }: { of: ReceiverPath; until: string }) {
  const drop = useMutation({
    mutationFn: () => call(`DELETE ${of}/old-secret`),
    onSuccess: (saved) => queryClient.setQueryData(read(`GET ${of}`).queryKey, saved),
    onError: (error) => showToast({ text: sayError(error).title }),
  })
  const time = new Date(until).toLocaleString(undefined, { weekday: 'short', hour: '2-digit', minute: '2-digit' })
  return (
    <p className="hint">
      <StatusDot state="wait" /> {words.oldUntil(time)}{' '}
      <button type="button" className="link" disabled={drop.isPending} onClick={() => drop.mutate()}>
        {words.dropOld}
      </button>
    </p>
  )
}
