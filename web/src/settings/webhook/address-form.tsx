import { limits } from '@patchbay/contract/limits.ts'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { sayError } from '../../ui/error-state.tsx'
import { Field } from '../../ui/field.tsx'
import { showToast } from '../../ui/toast.ts'

type Words = Record<'url' | 'urlHint' | 'urlMissing' | 'save' | 'saving' | 'addressSaved', string>

type Props = { url: string; words: Words; onSave: (url: string) => Promise<void> }

/** Where events other than replies are posted. The button is there while there is something to save. */
export function AddressForm({ url, words, onSave }: Props) {
  const [text, setText] = useState(url)
  const [isMissing, setMissing] = useState(false)
  const save = useMutation({
    mutationFn: () => onSave(text.trim()),
    onSuccess: () => showToast({ text: words.addressSaved }),
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
