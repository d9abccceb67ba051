import { chatLimits } from '@patchbay/contract/chat/protocol.ts'
import type { State } from '../state.ts'
import type { Words } from '../words/words.ts'
import { make } from './dom.ts'

/** The card that asks for an e-mail address: nobody has to. It is one element, so that what is typed stays. */
export function makeEmailCard(words: Words, keep: (email: string) => void) {
  const field = make('input', {
    type: 'email',
    id: 'pbw-email',
    autocomplete: 'email',
    placeholder: 'you@example.com',
    maxlength: String(chatLimits.emailCharacters),
    dir: 'ltr',
    'aria-describedby': 'pbw-email-fault',
  }) as HTMLInputElement
  const label = make('label', { for: 'pbw-email' }, [words.emailAsk])
  const button = make('button', { type: 'submit', class: 'pbw-solid' }, [words.emailKeep])
  const fault = make('small', { id: 'pbw-email-fault' })
  const row = make('div', { class: 'r' }, [field, button])
  const element = make('form', { class: 'pbw-ask', novalidate: '' }, [label, row, fault]) as HTMLFormElement
  element.addEventListener('submit', (event) => {
    event.preventDefault()
    keep(field.value.trim())
  })
  const kept = make('p', { class: 'pbw-event' }, [words.emailKept])
  return {
    element: make('div', { class: 'pbw-asks' }, [element]),
    show(parent: HTMLElement, email: State['email']): void {
      if (email === 'kept') {
        if (kept.parentNode !== parent) parent.replaceChildren(kept)
        return
      }
      if (element.parentNode !== parent) parent.replaceChildren(element)
      fault.textContent = email === 'wrong' ? words.emailWrong : email === 'failed' ? words.emailFailed : ''
      field.setAttribute('aria-invalid', String(email === 'wrong'))
      if (email === 'wrong') field.focus()
    },
  }
}
