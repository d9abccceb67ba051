import type { ChatSettings } from '@patchbay/contract/chat/protocol.ts'
import type { Words } from '../words/words.ts'
import { make } from './dom.ts'
import { isAddress, linkTo } from './text.ts'

type Looks = { name: string; url: string | null; deletes: ChatSettings['deletes']; mayDelete: () => boolean }
type Acts = { back: () => void; remove: () => Promise<boolean> }

/** What is kept and by whom, and the way to delete it: it lies over the messages. */
export function makePrivacy(words: Words, { name, url, deletes, mayDelete }: Looks, acts: Acts) {
  const title = make('h2', { tabindex: '-1', id: 'pbw-privacy' }, [words.privacy])
  const element = make('section', { class: 'pbw-sheet', 'aria-labelledby': 'pbw-privacy', hidden: '' })
  const plain = (label: string, run: () => void, isBad = false) => {
    const button = make('button', { type: 'button', class: isBad ? 'pbw-plain bad' : 'pbw-plain' }, [label])
    button.addEventListener('click', run)
    return button
  }
  const fault = make('p', { class: 'bad', role: 'alert' })
  const back = plain(words.back, acts.back)
  const ask = () => {
    const remove = plain(
      words.deleteYes,
      async () => {
        const isDone = await acts.remove()
        fault.textContent = isDone ? '' : words.notDeleted
      },
      true,
    )
    title.textContent = words.deleteChat
    const text = make('p', {}, [deletes === 'at once' ? words.deleteNow : words.deleteAsk])
    element.replaceChildren(title, text, make('div', { class: 'r' }, [remove, back]), fault)
    remove.focus()
  }
  return {
    element,
    show(): void {
      fault.textContent = ''
      title.textContent = words.privacy
      const more = url !== null && isAddress(url) ? [make('p', {}, [linkTo(url, words.privacyPage)])] : []
      const remove = mayDelete() ? [plain(words.deleteChat, ask, true)] : []
      const buttons = make('div', { class: 'r' }, [...remove, back])
      element.replaceChildren(title, make('p', {}, [words.privacyText(name)]), ...more, buttons)
      element.hidden = false
      title.focus()
    },
    hide(): void {
      element.hidden = true
    },
  }
}
