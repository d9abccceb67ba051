import type { SavedReply } from '@patchbay/contract/app/teamwork.ts'
import { useQuery } from '@tanstack/react-query'
import Pencil from 'lucide-react/icons/pencil'
import Trash2 from 'lucide-react/icons/trash-2'
import { useState } from 'react'
import { call } from '../../data/api.ts'
import { queryClient, read } from '../../data/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { sayError } from '../../ui/error-state.tsx'
import { Field, TextField } from '../../ui/field.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { showToast } from '../../ui/toast.ts'
import { useForm } from '../../ui/use-form.ts'
import { inboxWords } from '../words.ts'
import { savedRepliesOpen } from './saved-open.ts'
import { savedWords as words } from './saved-reply-words.ts'

/** All saved replies of the team, to make, change and delete. */
export function SavedReplies() {
  const { data } = useQuery(read('GET /api/saved-replies'))
  const [edited, setEdited] = useState<SavedReply | 'new'>()
  const replies = data?.replies ?? []
  const isForm = edited !== undefined || (data !== undefined && replies.length === 0)
  return (
    <Dialog title={words.savedReplies} onClose={() => savedRepliesOpen.set(false)}>
      {data && isForm ? (
        <Form
          key={edited === 'new' || !edited ? 'new' : edited.id}
          reply={edited === 'new' ? undefined : edited}
          onDone={() => setEdited(undefined)}
          canCancel={replies.length > 0}
        />
      ) : (
        <>
          <ul className="saved-replies">
            {replies.map((reply) => (
              <Line key={reply.id} reply={reply} edit={() => setEdited(reply)} />
            ))}
          </ul>
          <div className="row">
            <Button look="primary" onClick={() => setEdited('new')}>
              {words.newReply}
            </Button>
          </div>
        </>
      )}
    </Dialog>
  )
}

function Line({ reply, edit }: { reply: SavedReply; edit: () => void }) {
  const { id: replyId, shortcut, body } = reply
  const remove = async () => {
    try {
      await call('DELETE /api/saved-replies/:replyId', { params: { replyId } })
      const undo = { run: () => void call('POST /api/saved-replies', { body: { shortcut, body } }).then(refresh) }
      showToast({ text: words.deletedReply(shortcut), undo })
    } catch (error) {
      showToast({ text: `${inboxWords.notDone} ${sayError(error).title}` })
    }
    await refresh()
  }
  return (
    <li className="row">
      <span className="grow">
        <span className="mono strong">/{shortcut}</span>
        <span className="cut muted" dir="auto">
          {body}
        </span>
      </span>
      <IconButton label={words.editReply(shortcut)} onClick={edit}>
        <Pencil className="i" />
      </IconButton>
      <IconButton label={words.deleteReply(shortcut)} onClick={() => void remove()}>
        <Trash2 className="i" />
      </IconButton>
    </li>
  )
}

type FormProps = { reply: SavedReply | undefined; onDone: () => void; canCancel: boolean }

function Form({ reply, onDone, canCancel }: FormProps) {
  const form = useForm({
    initial: { shortcut: reply?.shortcut ?? '', body: reply?.body ?? '' },
    check: (values) => {
      const { shortcut, body } = sentOf(values)
      return { shortcut: shortcut === '' && words.fill, body: shortcut !== '' && body === '' && words.fill }
    },
    send: (values) => {
      const body = sentOf(values)
      return reply
        ? call('PUT /api/saved-replies/:replyId', { params: { replyId: reply.id }, body })
        : call('POST /api/saved-replies', { body })
    },
    onSaved: () => refresh().then(onDone),
    place: (error) => ({ shortcut: sayError(error).title }),
  })
  return (
    <form {...form.form} className="saved-form">
      <Field
        label={words.shortcut}
        hint={words.shortcutHint}
        mono
        autoFocus
        autoComplete="off"
        {...form.field('shortcut')}
      />
      <TextField label={words.replyText} hint={words.replyTextHint} rows={5} dir="auto" {...form.field('body')} />
      <div className="row">
        <Button look="primary" type="submit">
          {words.saveReply}
        </Button>
        {canCancel && (
          <Button look="quiet" onClick={onDone}>
            {words.cancel}
          </Button>
        )}
      </div>
    </form>
  )
}

const sentOf = ({ shortcut, body }: Pick<SavedReply, 'shortcut' | 'body'>) => ({
  shortcut: shortcut.trim().replace(/^\//, '').toLowerCase(),
  body: body.trim(),
})

function refresh(): Promise<void> {
  return queryClient.invalidateQueries(read('GET /api/saved-replies'))
}
