import X from 'lucide-react/icons/x'
import { useId, useState } from 'react'
import { AddLine } from '../../../ui/add-line.tsx'
import { Button } from '../../../ui/button.tsx'
import { ErrorLine } from '../../../ui/field.tsx'
import type { ChatForm } from '../form/use-chat-form.ts'
import { chatWords as words } from '../words.ts'
import { pageName } from './page-names.ts'

/** The pages that the chat may be on, one tag each. */
export function PagesField({ form, mayChange }: { form: ChatForm; mayChange: boolean }) {
  const { pages } = form.values
  const [text, setText] = useState('')
  const id = useId()
  const add = () => {
    const names = text.split(/[\s,;]+/).filter((one) => one !== '')
    if (names.length === 0) return
    form.set({ pages: [...new Set([...pages, ...names.map((name) => pageName(name) ?? name)])] })
    setText('')
  }
  return (
    <fieldset className="field chat-set-fieldset" aria-describedby={`${id}-about`}>
      <legend className="label">{words.pages}</legend>
      <ul className="row wrap chat-set-tags">
        {pages.map((page) => (
          <li className="tag" key={page}>
            <bdi className="mono">{page}</bdi>
            {mayChange && (
              <button
                type="button"
                className="chat-set-remove"
                aria-label={words.removePage(page)}
                onClick={() => form.set({ pages: pages.filter((one) => one !== page) })}
              >
                <X className="i" />
              </button>
            )}
          </li>
        ))}
      </ul>
      {mayChange && (
        <div className="row">
          <AddLine
            name="pages"
            label={words.newPage}
            placeholder={words.newPageExample}
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
            aria-invalid={form.errors.pages ? true : undefined}
            value={text}
            onText={setText}
            onAdd={add}
            onBlur={add}
          />
          <Button size="sm" onClick={add}>
            {words.addPage}
          </Button>
        </div>
      )}
      <span id={`${id}-about`} className="stack">
        <ErrorLine error={form.errors.pages} />
        <span className="hint">{words.pagesHint}</span>
      </span>
    </fieldset>
  )
}
