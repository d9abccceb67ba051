import { chatLimits } from '@patchbay/contract/chat/protocol.ts'
import type { Words } from '../words/words.ts'
import { icon, make } from './dom.ts'

type Acts = {
  send: (text: string) => void
  attach: (file: File) => void
  /** False: not yet, and it was said why. */
  mayAttach: () => boolean
  typed: (text: string) => void
  privacy: () => void
}

type Looks = { takesFiles: boolean; privacy: string; draft: string }

const kinds = '.jpg,.jpeg,.png,.webp,.gif,.pdf,.txt,.mp3,.m4a,.ogg,.webm,.mp4'

/** Where one writes, with the sentence on privacy below. */
export function makeComposer(words: Words, { takesFiles, privacy, draft }: Looks, acts: Acts) {
  const field = make('textarea', { rows: '1', 'aria-label': words.message, placeholder: words.write, dir: 'auto' })
  const area = field as HTMLTextAreaElement
  area.value = draft
  const send = make('button', { type: 'button', class: 'send', 'aria-label': words.send }, [icon('send')])
  const count = make('span', { class: 'pbw-count' })
  const link = make('button', { type: 'button' }, [words.privacy])
  link.addEventListener('click', acts.privacy)
  const foot = make('p', { class: 'pbw-foot' }, [count, make('span', { dir: 'auto' }, [privacy]), ' ', link])
  const row = make('div', { class: 'r' }, [...(takesFiles ? attachment(words, acts) : []), area, send])
  const fit = () => {
    area.style.setProperty('height', '40px')
    if (area.scrollHeight > 40) area.style.setProperty('height', `${Math.min(128, area.scrollHeight)}px`)
  }
  const submit = () => {
    const text = area.value.trim()
    if (text === '' || text.length > chatLimits.textUnits) return area.focus()
    area.value = ''
    written()
    acts.send(text)
    area.focus()
  }
  const written = () => {
    fit()
    const over = area.value.trim().length - chatLimits.textUnits
    count.textContent = over > -200 ? `${-over} · ` : ''
    acts.typed(area.value)
  }
  area.addEventListener('input', written)
  area.addEventListener('keydown', (event) => {
    // 229: what some browsers say of the key that ends a composition.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return
    event.preventDefault()
    submit()
  })
  send.addEventListener('click', submit)
  const hint = (text: string) => {
    count.textContent = text
    area.focus()
  }
  return { element: make('div', { class: 'pbw-write' }, [row, foot]), area, row, link, fit, hint }
}

function attachment(words: Words, { attach, mayAttach }: Acts): HTMLElement[] {
  const input = make('input', { type: 'file', accept: kinds, hidden: '', tabindex: '-1' }) as HTMLInputElement
  const button = make('button', { type: 'button', 'aria-label': words.attach }, [icon('clip')])
  button.addEventListener('click', () => mayAttach() && input.click())
  input.addEventListener('change', () => {
    const file = input.files?.[0]
    input.value = ''
    if (file) attach(file)
  })
  return [button, input]
}
