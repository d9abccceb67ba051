import type { BroadcastPreview, ShownBroadcast } from '@patchbay/contract/app/broadcasts.ts'
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
import { blank, checkTexts, type Draft, readDraft, textsOf } from './draft.ts'
import { DraftForm } from './draft-form.tsx'
import { PreviewCard } from './preview-card.tsx'
import { broadcastWords as words } from './words.ts'

type Props = { listId: string; onDone: () => void }

/** A broadcast is written, looked at, then sent: three steps in one place, and nothing is kept before the last. */
export function NewBroadcast({ listId, onDone }: Props) {
  return <WriteBroadcast before={undefined} listId={listId} onDone={onDone} />
}

/** One that has not started yet is written anew in the same steps. */
export function ChangeBroadcast({ broadcastId, onDone }: { broadcastId: string; onDone: () => void }) {
  const { data, error, refetch } = useQuery(read('GET /api/broadcasts/:broadcastId', { params: { broadcastId } }))
  if (data) return <WriteBroadcast before={data} listId={data.list.id ?? ''} onDone={onDone} />
  return error ? <ErrorState error={error} retry={() => void refetch()} /> : <WaitingBlock height={320} />
}

function WriteBroadcast({ before, listId, onDone }: Props & { before: ShownBroadcast | undefined }) {
  const lists = useQuery(read('GET /api/lists'))
  const account = useQuery(read('GET /api/account'))
  const error = lists.error ?? account.error
  if (!lists.data || !account.data) {
    if (error) return <ErrorState error={error} retry={() => void Promise.all([lists.refetch(), account.refetch()])} />
    return <WaitingBlock height={320} />
  }
  if (lists.data.lists.length === 0) return <NoLists />
  return <Steps before={before} listId={listId} lists={lists.data.lists} zone={account.data.timeZone} onDone={onDone} />
}

type StepsProps = Props & {
  before: ShownBroadcast | undefined
  zone: string
  lists: Parameters<typeof DraftForm>[0]['lists']
}

function Steps({ before, listId, lists, zone, onDone }: StepsProps) {
  const [preview, setPreview] = useState<BroadcastPreview>()
  const [initial] = useState(() => (before ? textsOf(before, zone) : { ...blank, listId }))
  const form = useForm({
    initial,
    check: (texts) => checkTexts(texts, zone),
    send: (texts) => {
      const { name: _name, ...fields } = readDraft(texts, zone)
      return call('POST /api/broadcasts/preview', { body: fields })
    },
    onSaved: setPreview,
  })
  if (preview) {
    const change = () => setPreview(undefined)
    const draft = readDraft(form.values, zone)
    return (
      <StartBroadcast before={before} draft={draft} preview={preview} zone={zone} onChange={change} onDone={onDone} />
    )
  }
  return (
    <DraftForm form={form} lists={lists} zone={zone} label={before ? words.formChange : words.form} onDone={onDone} />
  )
}

type StartProps = {
  before: ShownBroadcast | undefined
  draft: Draft
  preview: BroadcastPreview
  zone: string
  onChange: () => void
  onDone: () => void
}

function StartBroadcast({ before, draft, preview, zone, onChange, onDone }: StartProps) {
  const navigate = useNavigate()
  const clientId = useRef(crypto.randomUUID()) // the same broadcast sent again, also after a lost answer, is started once
  const start = useMutation({
    mutationFn: () =>
      before
        ? call('PATCH /api/broadcasts/:broadcastId', { params: { broadcastId: before.id }, body: changeOf(draft) })
        : call('POST /api/broadcasts', { body: { ...draft, clientId: clientId.current } }),
    onSuccess: async (broadcast) => {
      const { id: broadcastId, name, state } = broadcast
      showToast({ text: state === 'scheduled' ? words.scheduled(name) : words.started(name) })
      queryClient.setQueryData(
        read('GET /api/broadcasts/:broadcastId', { params: { broadcastId } }).queryKey,
        broadcast,
      )
      await queryClient.invalidateQueries({ queryKey: ['GET /api/broadcasts'] })
      await navigate({ to: '/broadcasts/$broadcastId', params: { broadcastId } })
    },
  })
  return (
    <PreviewCard
      draft={draft}
      preview={preview}
      zone={zone}
      onChange={onChange}
      onDone={onDone}
      start={{ isPending: start.isPending, error: start.error, run: () => start.mutate() }}
    />
  )
}

/** All of it is said, so that what was taken away is gone. */
function changeOf({ campaignId = null, idFrom = null, startsAt = null, ...draft }: NullableDraft) {
  return { ...draft, campaignId, idFrom, startsAt }
}

type NullableDraft = Omit<Draft, 'campaignId' | 'idFrom' | 'startsAt'> & {
  campaignId?: string | null
  idFrom?: 'phone' | 'email' | null
  startsAt?: string | null
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
