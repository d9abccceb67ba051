import './import.css'
import type { ShownImport } from '@patchbay/contract/app/imports.ts'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { call } from '../../data/api.ts'
import { useStore } from '../../data/store.ts'
import { ErrorState, sayError } from '../../ui/error-state.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { WaitingBlock } from '../../ui/waiting.tsx'
import { ChooseFile } from './choose-file.tsx'
import { FileHead } from './file-head.tsx'
import { Preview, PreviewFooter, usePreview } from './preview.tsx'
import { Running, RunningFooter } from './running.tsx'
import { FileError, sendFile, sending } from './send-file.ts'
import { isOver, refreshImports, useImports } from './use-imports.ts'
import { importWords as words } from './words.ts'

/** Choose a file, see what it would do, let it run, mend what failed. It goes on when this is closed. */
export function ImportSheet() {
  const navigate = useNavigate()
  const close = () => void navigate({ to: '/contacts', search: true })
  const { data, error, refetch } = useImports()
  const [chosen, choose] = useState<string>()
  const send = useMutation({ mutationFn: sendFile, onSuccess: choose })
  // Without a choice: what is not finished. `none` is the choice of no import.
  const open = data?.imports.find(({ id }) => id === chosen) ?? data?.imports.find((one) => !isOver(one))
  const job = chosen === 'none' || send.isPending ? undefined : open
  const sent = useStore(sending)
  if (job) return <OpenImport key={job.id} job={job} onClose={close} onOther={() => choose('none')} />
  return (
    <Sheet title={words.title} onClose={close}>
      {error && !data ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : !data ? (
        <WaitingBlock height={160} />
      ) : (
        <ChooseFile
          imports={data.imports}
          percent={send.isPending ? (sent?.percent ?? 0) : undefined}
          error={send.error && sayWhy(send.error)}
          onFile={send.mutate}
          onOpen={choose}
        />
      )}
    </Sheet>
  )
}

function sayWhy(error: Error): string {
  return error instanceof FileError ? error.message : `${sayError(error).title} ${sayError(error).hint}`.trim()
}

type OpenProps = { job: ShownImport; onClose: () => void; onOther: () => void }

function OpenImport({ job, onClose, onOther }: OpenProps) {
  const preview = usePreview(job)
  const discard = useMutation({
    mutationFn: () => call('DELETE /api/imports/:importId', { params: { importId: job.id } }),
    onSettled: refreshImports,
  })
  const isPreview = job.state === 'checking' || job.state === 'ready'
  const isStarted = job.startedAt !== null
  // The button that was pressed is gone with its step; without the focus in here, Escape would not close it.
  const step = isPreview ? 'preview' : isStarted ? 'started' : job.state
  // biome-ignore lint/correctness/useExhaustiveDependencies: at each step
  useEffect(() => {
    if (document.activeElement === document.body) document.querySelector<HTMLElement>('.sheet')?.focus()
  }, [step])
  const leave = async () => {
    if (!isStarted && !isOver(job)) await discard.mutateAsync().catch(() => {}) // it is pruned
    onOther()
  }
  return (
    <Sheet
      title={words.title}
      onClose={onClose}
      footer={
        isPreview ? (
          <PreviewFooter job={job} preview={preview} onCancel={() => void leave()} />
        ) : (
          isStarted && <RunningFooter job={job} onDone={onOther} />
        )
      }
    >
      <FileHead job={job} onOther={() => void leave()} />
      {isPreview && <Preview job={job} preview={preview} />}
      {isStarted && <Running job={job} />}
    </Sheet>
  )
}
