import { limits } from '@patchbay/contract/limits.ts'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { call } from '../../api.ts'
import { queryClient, read } from '../../queries.ts'
import { Button } from '../../ui/button.tsx'
import { sayError } from '../../ui/error-state.tsx'
import { Field } from '../../ui/field.tsx'
import { showToast } from '../../ui/toast.ts'
import { alertWords as words } from '../../words/alerts.ts'

/** Where alerts are posted. */
export function AddressForm({ url }: { url: string }) {
  const [text, setText] = useState(url)
  const [isMissing, setMissing] = useState(false)
  const save = useMutation({
    mutationFn: () => call('PUT /api/alerts/webhook', { body: { url: text.trim() } }),
    onSuccess: (saved) => {
      queryClient.setQueryData(read('GET /api/alerts/webhook').queryKey, saved)
      showToast({ text: words.addressSaved })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setMissing(text.trim() === '')
    if (text.trim() !== '' && text.trim() !== url && !save.isPending) save.mutate()
  }
  return (
    <form noValidate onSubmit={submit}>
      <Field
        label={words.url}
        mono
        type="url"
        inputMode="url"
        spellCheck={false}
        placeholder="https://"
        maxLength={limits.urlCharacters}
        value={text}
        hint={words.urlHint}
        error={isMissing ? words.urlMissing : save.error && sayError(save.error).title}
        aside={
          (url === '' || text.trim() !== url) && (
            <Button type="submit" size="sm" look="primary" busy={save.isPending && words.saving}>
              {words.save}
            </Button>
          )
        }
        onChange={(event) => {
          setText(event.target.value)
          setMissing(false)
          save.reset()
        }}
      />
    </form>
  )
}
