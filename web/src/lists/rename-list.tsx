import type { ShownList } from '@patchbay/contract/app/lists.ts'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { call } from '../api.ts'
import { refreshContacts } from '../contacts/contact-pages.ts'
import { Button } from '../ui/button.tsx'
import { sayError } from '../ui/error-state.tsx'
import { listWords as words } from '../words/lists.ts'

/** In place of the name. Escape leaves it as it was. */
export function RenameList({ list, onDone }: { list: ShownList; onDone: () => void }) {
  const [name, setName] = useState(list.name)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.select(), [])
  const rename = useMutation({
    mutationFn: () => call('PATCH /api/lists/:listId', { params: { listId: list.id }, body: { name } }),
    onSuccess: async () => {
      await refreshContacts()
      onDone()
    },
  })
  const isBlank = name.trim() === ''
  const error = isBlank ? words.nameMissing : rename.error && sayError(rename.error).title
  return (
    <form
      className="row wrap grow rename-list"
      noValidate
      onKeyDown={(event) => event.key === 'Escape' && onDone()}
      onSubmit={(event) => {
        event.preventDefault()
        if (name.trim() === list.name) onDone()
        else if (!isBlank && !rename.isPending) rename.mutate()
      }}
    >
      <input
        ref={input}
        className="input"
        aria-label={words.newName}
        aria-invalid={isBlank || undefined}
        aria-describedby={error ? 'rename-error' : undefined}
        value={name}
        dir="auto"
        maxLength={256}
        autoComplete="off"
        onChange={(event) => setName(event.target.value)}
      />
      <Button look="primary" type="submit" busy={rename.isPending && words.saving}>
        {words.save}
      </Button>
      <Button look="quiet" onClick={onDone}>
        {words.cancel}
      </Button>
      {error && (
        <span className="error" id="rename-error" role="alert">
          {error}
        </span>
      )}
    </form>
  )
}
