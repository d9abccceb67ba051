import type { ChatLanguage, ChatMessage, ChatPage, ChatState } from '@patchbay/contract/chat/protocol.ts'
import { sampleWords } from './samples-words.ts'
import type { Followed, Source } from './source.ts'

type Given = {
  language: ChatLanguage
  state: () => ChatState
  /** Called after so long, unless the preview is gone by then. */
  later: (act: () => void, ms: number) => void
}

/** A talk that nobody has had: for the preview in the settings, which sends nothing. */
export function openSamples({ language, state, later }: Given): Source {
  const said = sampleWords[language]
  const begunAt = Date.now() - 120_000
  const question = { ...message(1, begunAt, 'visitor', said.question), id: 'sample' }
  const answered = {
    ...message(2, begunAt + 1_000, 'bot', said.answer),
    choices: said.offers.map((title) => ({ id: title, title })),
  }
  const messages: ChatMessage[] = state().by === 'bot' ? [question, answered] : [question]
  const last = () => messages.length
  const page = (): ChatPage => ({
    ...{ installation: 'samples', messages: [...messages], lines: [], hasOlder: false },
    ...{ state: state(), last: last(), read: last() },
  })
  let followed: Followed | undefined
  const answer = () => {
    followed?.event({ name: 'typing', data: { forMs: 2_000, by: 'bot' } })
    later(() => {
      messages.push(message(last() + 1, Date.now(), 'bot', said.reply))
      for (const each of messages.slice(-1)) followed?.event({ name: 'message', data: each })
    }, 1_200)
  }
  return {
    read: async (where) => (where === 'newest' ? page() : null),
    send: async ({ id, text }) => {
      const kept = { ...message(last() + 1, Date.now(), 'visitor', text), id }
      messages.push(kept)
      if (state().by === 'bot') later(answer, 600)
      return kept
    },
    upload: async () => ({ fileId: 'sample' }),
    mark: async () => {},
    tellTyping: async () => {},
    keepEmail: async () => {},
    forget: async () => ({ is: 'asked' }),
    follow: (on) => {
      followed = on
      return () => {
        followed = undefined
      }
    },
  }
}

function message(seq: number, at: number, from: ChatMessage['from'], text: string): ChatMessage {
  return { seq, at, from, name: null, text, id: null, choices: [], file: null }
}
