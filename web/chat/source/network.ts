import type { ChatPage, ChatUploaded } from '@patchbay/contract/chat/protocol.ts'
import type { Shell } from '../shell.ts'
import { follow } from './follow.ts'
import type { Source, Where } from './source.ts'

const answerMs = 20_000
const pollMs = { usual: 5_000, least: 3_000, most: 60_000 }

/** The chat's server. */
export function openNetwork({ request, bearer, origin, settings }: Shell): Source {
  const post = async (path: string, body: unknown) =>
    await request(path, { bearer: bearer(), body, withinMs: answerMs })
  const read = async (where: Where, asking = bearer(), signal?: AbortSignal) => {
    const query =
      where === 'newest' ? '' : `?${new URLSearchParams(Object.entries(where).map(([k, v]) => [k, `${v}`]))}`
    const response = await request(`messages${query}`, { bearer: asking, signal, withinMs: answerMs })
    const page: ChatPage | null = response.status === 204 ? null : await response.json()
    return { page, response }
  }
  return {
    read: async (where, asking) => (await read(where, asking)).page,
    send: async (message) => await (await post('messages', message)).json(),
    upload: (file, tell, stop) =>
      upload(`${origin}/chat/${settings.id}/`, { bearer: bearer() ?? '', file, tell, stop }),
    mark: async (marks) => void (await post('marks', marks)),
    tellTyping: async () => void (await post('typing', {})),
    keepEmail: async (email) => void (await post('email', { email })),
    forget: async () => await (await post('forget', {})).json(),
    follow: (on) =>
      follow(
        {
          open: (after, signal) => request(`stream?after=${after}`, { bearer: bearer(), signal }),
          poll: async (after, signal) => {
            const { page, response } = await read({ after }, bearer(), signal)
            return { page, againMs: againOf(response) }
          },
          random: Math.random,
        },
        on,
      ),
  }
}

function againOf(response: Response): number {
  const wanted = Number(response.headers.get('x-poll-after')) * 1_000 || pollMs.usual
  return Math.min(pollMs.most, Math.max(pollMs.least, wanted))
}

type Upload = { bearer: string; file: File; tell: (sentBytes: number) => void; stop: AbortSignal }

/** `fetch` does not say how far it is. */
function upload(base: string, { bearer, file, tell, stop }: Upload): Promise<ChatUploaded> {
  return new Promise((done, fail) => {
    const request = new XMLHttpRequest()
    request.open('POST', `${base}files?name=${encodeURIComponent(file.name.slice(0, 200))}`)
    request.setRequestHeader('authorization', `Bearer ${bearer}`)
    request.setRequestHeader('content-type', file.type || 'application/octet-stream')
    request.upload.addEventListener('progress', ({ loaded }) => tell(loaded))
    request.addEventListener('error', () => fail(new TypeError('no connection')))
    request.addEventListener('abort', () => fail(new TypeError('stopped')))
    request.addEventListener('load', () => {
      if (request.status < 300) return done(JSON.parse(request.responseText))
      const { reason, message } = parsed(request.responseText)
      const seconds = Number(request.getResponseHeader('retry-after') || Number.NaN)
      const againMs = seconds >= 0 ? seconds * 1_000 : undefined
      fail(Object.assign(new Error(String(message)), { status: request.status, reason, againMs }))
    })
    stop.addEventListener('abort', () => request.abort())
    request.send(file)
  })
}

function parsed(text: string): { reason?: unknown; message?: unknown } {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
