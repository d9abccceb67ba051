import { limits } from '@patchbay/contract/limits.ts'
import { Button } from '../../ui/button.tsx'
import { sayError } from '../../ui/error-state.tsx'
import { Field } from '../../ui/field.tsx'
import { showToast } from '../../ui/toast.ts'
import { useForm } from '../../ui/use-form.ts'

type Words = Record<'url' | 'urlHint' | 'urlMissing' | 'save' | 'saving' | 'addressSaved', string>

type Props = { url: string; words: Words; onSave: (url: string) => Promise<void> }

/** Where events other than replies are posted. The button is there while there is something to save. */
export function AddressForm({ url, words, onSave }: Props) {
  const form = useForm({
    initial: { url },
    check: (typed) => ({ url: typed.url.trim() === '' && words.urlMissing }),
    send: (typed) => onSave(typed.url.trim()),
    onSaved: () => showToast({ text: words.addressSaved }),
    onlyChanges: true,
    place: (error) => ({ url: sayError(error).title }),
  })
  return (
    <form {...form.form}>
      <Field
        label={words.url}
        mono
        type="url"
        inputMode="url"
        spellCheck={false}
        placeholder="https://"
        maxLength={limits.urlCharacters}
        hint={words.urlHint}
        aside={
          (url === '' || form.isChanged) && (
            <Button type="submit" size="sm" look="primary" busy={form.isSending && words.saving}>
              {words.save}
            </Button>
          )
        }
        {...form.field('url')}
      />
    </form>
  )
}
