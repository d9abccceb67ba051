import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { call } from '../api.ts'
import { queryClient } from '../queries.ts'
import { Button } from '../ui/button.tsx'
import { sayError } from '../ui/error-state.tsx'
import { Field } from '../ui/field.tsx'
import { showToast } from '../ui/toast.ts'
import { listWords as words } from '../words/lists.ts'

/** The form for a new list, under the button that asked for it. */
export function NewList({ onDone }: { onDone: () => void }) {
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [isMissing, setMissing] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])
  const create = useMutation({
    mutationFn: () => call('POST /api/lists', { body: { name } }),
    onSuccess: async (list) => {
      await queryClient.invalidateQueries({ queryKey: ['GET /api/lists'] })
      showToast({ text: words.made(list.name) })
      onDone()
      await navigate({ to: '/lists/$listId', params: { listId: list.id } })
    },
  })
  const error = isMissing ? words.nameMissing : create.error && sayError(create.error).title
  return (
    <form
      className="stack stack-3 new-list"
      noValidate
      onKeyDown={(event) => event.key === 'Escape' && onDone()}
      onSubmit={(event) => {
        event.preventDefault()
        setMissing(name.trim() === '')
        if (name.trim() === '') input.current?.focus()
        else if (!create.isPending) create.mutate()
      }}
    >
      <Field
        ref={input}
        label={words.name}
        hint={words.nameHint}
        error={error}
        value={name}
        dir="auto"
        maxLength={256}
        autoComplete="off"
        onChange={(event) => {
          setName(event.target.value)
          setMissing(false)
        }}
      />
      <div className="row">
        <Button look="primary" type="submit" busy={create.isPending && words.creating}>
          {words.create}
        </Button>
        <Button look="quiet" onClick={onDone}>
          {words.cancel}
        </Button>
      </div>
    </form>
  )
}
