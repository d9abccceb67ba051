import type { FirstRun } from '@patchbay/contract/app/first-run.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { Link } from '@tanstack/react-router'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { useId } from 'react'
import { call } from '../data/api.ts'
import { queryClient } from '../data/queries.ts'
import { Button } from '../ui/button.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { sayCause } from '../ui/delivery-error-words.ts'
import { sayError } from '../ui/error-state.tsx'
import { Note } from '../ui/note.tsx'
import { useForm } from '../ui/use-form.ts'
import { saveWebhook } from './commands.ts'
import { Step } from './step.tsx'
import { currentStep, isDone, receiverState } from './steps.ts'
import { firstRunWords as words } from './words.ts'

type Props = { steps: FirstRun; email: string; isOwner: boolean }
type Webhook = NonNullable<FirstRun['webhook']>

export function WebhookStep({ steps, email, isOwner }: Props) {
  const { webhook } = steps
  return (
    <Step steps={steps} name="webhook" at={webhook?.test?.at ?? webhook?.tookReplyAt ?? webhook?.savedAt}>
      {webhook && isDone(steps, 'webhook') ? (
        <DoneLine webhook={webhook} state={receiverState(steps)} />
      ) : (
        <>
          <p className="muted">{words.webhookSays}</p>
          {isOwner ? (
            <SaveForm webhook={webhook} email={email} isCurrent={currentStep(steps) === 'webhook'} />
          ) : (
            <p className="muted">{words.ownerOnly}</p>
          )}
        </>
      )}
    </Step>
  )
}

function DoneLine({ webhook: { url, test }, state }: { webhook: Webhook; state: ReturnType<typeof receiverState> }) {
  return (
    <div className="stack">
      <div className="row wrap">
        <span className="mono said-text">{url}</span>
        <span className="faint">
          {state === 'takes'
            ? words.proven
            : test?.status === 'Sent'
              ? `${words.testTaken} ${test.durationMs} ms`
              : words.provenOnce}
        </span>
        <Link className="end" to="/settings/webhook">
          {words.moreInSettings}
        </Link>
      </div>
      {(state === 'refused' || state === 'failing') && (
        <Note icon={TriangleAlert} tone="wait">
          {state === 'refused' ? (
            <>
              {words.refusedSince} {test?.fault && sayCause(test.fault)}
            </>
          ) : (
            words.failsSince
          )}
        </Note>
      )}
      {test?.checksSignature === false && (
        <Note icon={TriangleAlert} tone="wait">
          {words.wrongAccepted}
        </Note>
      )}
    </div>
  )
}

function SaveForm({ webhook, email, isCurrent }: { webhook: Webhook | null; email: string; isCurrent: boolean }) {
  const id = useId()
  const form = useForm({
    initial: { url: webhook?.url ?? '' },
    check: (typed) => ({ url: typed.url.trim() === '' && words.urlMissing }),
    send: (typed) => saveAndTest(typed.url.trim(), webhook?.url),
    place: (error) => ({ url: sayError(error).title }),
  })
  const url = form.values.url.trim()
  const { error, ...input } = form.field('url')
  return (
    <>
      <form {...form.form} className="field">
        <div className="row wrap">
          <label className="sr" htmlFor={id}>
            {words.webhookUrl}
          </label>
          <input
            id={id}
            className="input mono fr-url"
            type="url"
            inputMode="url"
            spellCheck={false}
            placeholder="https://"
            maxLength={limits.urlCharacters}
            {...input}
            aria-invalid={error ? true : undefined}
            aria-describedby={error ? `${id}-about` : undefined}
          />
          <Button
            type="submit"
            look={isCurrent ? 'primary' : 'outline'}
            busy={form.isSending && words.savingAndTesting}
          >
            {webhook && url === webhook.url ? words.testAgain : words.saveAndTest}
          </Button>
        </div>
        {error && (
          <span className="error" id={`${id}-about`}>
            <TriangleAlert className="i" />
            {error}
          </span>
        )}
      </form>
      <details>
        <summary className="small muted">{words.terminal}</summary>
        <CodeBlock text={saveWebhook(email, url || 'https://…')} label={words.copyCommand} />
      </details>
      {webhook && !form.isSending && <TestNote webhook={webhook} />}
    </>
  )
}

/** Saves the address and tests it. It may be saved also when the test fails. */
async function saveAndTest(url: string, saved: string | undefined): Promise<void> {
  try {
    if (url !== saved) await call('PUT /api/webhook', { body: { url } })
    await call('POST /api/webhook/test')
  } finally {
    for (const route of ['GET /api/first-run', 'GET /api/webhook', 'GET /api/counts']) {
      void queryClient.invalidateQueries({ queryKey: [route] })
    }
  }
}

function TestNote({ webhook: { test } }: { webhook: Webhook }) {
  const isTimeout = test?.fault?.category === 'timeout'
  return (
    <Note icon={TriangleAlert} tone="wait" role="status">
      <b className="strong">{test ? words.savedFailed : words.savedNotTested}</b>{' '}
      {test?.fault && (
        <span className="muted">
          {sayCause(test.fault)} {isTimeout && words.timeoutHint} {words.failedHint}
        </span>
      )}
    </Note>
  )
}
