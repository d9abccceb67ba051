import type { BroadcastPreview } from '@patchbay/contract/app/broadcasts.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { call } from '../data/api.ts'
import { queryClient, read } from '../data/queries.ts'
import { buttonClass } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { ErrorState } from '../ui/error-state.tsx'
import { showToast } from '../ui/toast.ts'
import { useForm } from '../ui/use-form.ts'
import { WaitingBlock } from '../ui/waiting.tsx'
import { blank, checkTexts, type Draft, readDraft } from './draft.ts'
import { DraftForm } from './draft-form.tsx'
import { PreviewCard } from './preview-card.tsx'
import { broadcastWords as words } from './words.ts'

/** A broadcast is written, looked at, then sent: three steps in one place, and nothing is kept before the last. */
export function NewBroadcast({ listId, onDone }: { listId: string; onDone: () => void }) {
  const lists = useQuery(read('GET /api/lists'))
  const [preview, setPreview] = useState<BroadcastPreview>()
  const form = useForm({
    initial: { ...blank, listId },
    check: checkTexts,
    send: (texts) => {
      const { name: _name, ratePerMinute: _rate, ...fields } = readDraft(texts)
      return call('POST /api/broadcasts/preview', { body: fields })
    },
    onSaved: setPreview,
  })
  if (!lists.data) {
    if (lists.error) return <ErrorState error={lists.error} retry={() => void lists.refetch()} />
    return <WaitingBlock height={320} />
  }
  if (lists.data.lists.length === 0) return <NoLists />
  if (preview) {
    const change = () => setPreview(undefined)
    return <StartBroadcast draft={readDraft(form.values)} preview={preview} onChange={change} onDone={onDone} />
  }
  return <DraftForm form={form} lists={lists.data.lists} onDone={onDone} />
}

function StartBroadcast(props: { draft: Draft; preview: BroadcastPreview; onChange: () => void; onDone: () => void }) {
  const { draft, preview, onChange, onDone } = props
  const navigate = useNavigate()
  const clientId = useRef(crypto.randomUUID()) // the same broadcast sent again, also after a lost answer, is started once
  const start = useMutation({
    mutationFn: () => call('POST /api/broadcasts', { body: { ...draft, clientId: clientId.current } }),
    onSuccess: async (broadcast) => {
      showToast({ text: words.started(broadcast.name) })
      await queryClient.invalidateQueries({ queryKey: ['GET /api/broadcasts'] })
      await navigate({ to: '/broadcasts/$broadcastId', params: { broadcastId: broadcast.id } })
    },
  })
  return (
    <PreviewCard
      draft={draft}
      preview={preview}
      onChange={onChange}
      onDone={onDone}
      start={{ isPending: start.isPending, error: start.error, run: () => start.mutate() }}
    />
  )
}

function NoLists() {
  return (
    <Empty title={words.noLists} says={words.noListsSays}>
      <Link to="/lists" className={buttonClass()}>
        {words.toLists}
      </Link>
    </Empty>
  )
}
