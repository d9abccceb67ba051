import { limits } from '@patchbay/contract/limits.ts'
import { useMutation } from '@tanstack/react-query'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { useId } from 'react'
import { call } from '../../data/api.ts'
import { queryClient, read } from '../../data/queries.ts'
import { Button } from '../../ui/button.tsx'
import { sayError } from '../../ui/error-state.tsx'
import { Note } from '../../ui/note.tsx'
import { showToast } from '../../ui/toast.ts'
import { useForm } from '../../ui/use-form.ts'
import { deliveryWords } from './log/words.ts'
import { webhookWords as words } from './words.ts'

/** Where replies are posted. After it is saved, those that were not delivered can be sent. */
export function UrlForm({ url, undelivered, isOwner }: { url: string; undelivered: number; isOwner: boolean }) {
  const id = useId()
  const form = useForm({
    initial: { url },
    check: (typed) => ({ url: typed.url.trim() === '' && words.urlMissing }),
    send: (typed) => call('PUT /api/webhook', { body: { url: typed.url.trim() } }),
    onSaved: (saved) => {
      queryClient.setQueryData(read('GET /api/webhook').queryKey, saved)
      void queryClient.invalidateQueries({ queryKey: ['GET /api/counts'] })
      void queryClient.invalidateQueries({ queryKey: ['GET /api/first-run'] })
    },
    onlyChanges: true,
    place: (error) => ({ url: `${sayError(error).title} ${sayError(error).hint}` }),
  })
  const isSaved = !form.isChanged && url !== ''
  const { error, ...input } = form.field('url')
  return (
    <form {...form.form} className="field">
      <label className="label" htmlFor={id}>
        {words.url}
      </label>
      <div className="row">
        <input
          id={id}
          className="input mono"
          type="url"
          inputMode="url"
          spellCheck={false}
          maxLength={limits.urlCharacters}
          placeholder="https://"
          readOnly={!isOwner}
          {...input}
          aria-invalid={error ? true : undefined}
          aria-describedby={`${id}-about`}
        />
        {isOwner && (
          <Button
            type="submit"
            look={isSaved ? 'outline' : 'primary'}
            disabled={isSaved}
            busy={form.isSending && words.saving}
          >
            {isSaved ? words.savedIt : words.save}
          </Button>
        )}
      </div>
      <span className={error ? 'error' : 'hint'} id={`${id}-about`}>
        {error && <TriangleAlert className="i" />}
        <span>{error || (isOwner ? words.urlHint : words.ownerOnly)}</span>
      </span>
      {isOwner && url !== '' && undelivered > 0 && <UndeliveredNote count={undelivered} />}
    </form>
  )
}

const fortnightMs = 14 * 86_400_000 - 60_000

function UndeliveredNote({ count }: { count: number }) {
  const resend = useMutation({
    mutationFn: () =>
      call('POST /api/deliveries/resend', { body: { since: new Date(Date.now() - fortnightMs).toISOString() } }),
    onSuccess: ({ resent }) => {
      showToast({ text: deliveryWords.resent(resent) })
      for (const route of ['GET /api/webhook', 'GET /api/deliveries', 'GET /api/deliveries/counts']) {
        void queryClient.invalidateQueries({ queryKey: [route] })
      }
    },
    onError: (error) => showToast({ text: sayError(error).title }),
  })
  return (
    <Note icon={TriangleAlert} tone="wait">
      <div className="row wrap between">
        <b className="strong">{words.undelivered(count)}</b>
        <Button size="sm" busy={resend.isPending && deliveryWords.resending} onClick={() => resend.mutate()}>
          {words.sendThem}
        </Button>
      </div>
    </Note>
  )
}
