import { useQuery } from '@tanstack/react-query'
import { call } from '../../../data/api.ts'
import { read } from '../../../data/queries.ts'
import { Button } from '../../../ui/button.tsx'
import { sayError } from '../../../ui/error-state.tsx'
import { Field } from '../../../ui/field.tsx'
import { useForm } from '../../../ui/use-form.ts'
import { chatWords as words } from '../words.ts'
import { pageName } from './page-names.ts'

/** Makes a chat: all that it needs is the first page that it may be on. */
export function PageForm({ onMade }: { onMade: (channelId: string) => unknown }) {
  const me = useQuery(read('GET /api/session')).data
  const form = useForm({
    initial: { page: '' },
    check: ({ page }) => ({
      page: page.trim() === '' ? words.pageMissing : pageName(page) === undefined && words.pageWrong(page.trim()),
    }),
    send: ({ page }) =>
      call('POST /api/channels', {
        // Visitors read it: until somebody names the chat it is called as the business is.
        body: { kind: 'webchat', settings: { pages: [pageName(page) ?? page] }, ...(me && { name: me.account.name }) },
      }),
    onSaved: ({ id }) => onMade(id),
    place: (error) => ({ page: sayError(error).title }),
  })
  return (
    <form {...form.form} className="stack stack-4 chat-set-first">
      <Field
        label={words.firstPage}
        hint={words.firstPageHint}
        placeholder={words.firstPageExample}
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        maxLength={260}
        {...form.field('page')}
      />
      <div className="row">
        <Button type="submit" look="primary" busy={form.isSending && words.making}>
          {words.make}
        </Button>
      </div>
    </form>
  )
}
