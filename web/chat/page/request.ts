import type { ChatError, ChatRefusal } from '@patchbay/contract/chat/protocol.ts'

/** The server has answered, and not with what was asked for. */
export type Refused = Error & { status: number; reason: ChatRefusal | undefined; againMs: number | undefined }

type Asked = {
  bearer?: string | undefined
  body?: unknown
  signal?: AbortSignal | undefined
  /** How long an answer may take; none: as long as the signal lets it. */
  withinMs?: number | undefined
}

/** One request to the chat's server. It rejects with `Refused`, or with whatever the browser says of the connection. */
export type Request = (path: string, asked: Asked) => Promise<Response>

export function openRequests(base: string): Request {
  return async (path, { bearer, body, signal, withinMs }) => {
    const stop = new AbortController()
    const end = () => stop.abort()
    const timer = withinMs === undefined ? 0 : setTimeout(end, withinMs)
    if (signal?.aborted) end()
    if (signal) signal.addEventListener('abort', end)
    try {
      const response = await fetch(base + path, { ...optionsOf(bearer, body), signal: stop.signal })
      if (response.ok) return response
      throw await refusalOf(response)
    } finally {
      clearTimeout(timer)
      if (signal && withinMs !== undefined) signal.removeEventListener('abort', end)
    }
  }
}

function optionsOf(bearer: string | undefined, body: unknown): RequestInit {
  const headers: Record<string, string> = {}
  if (bearer !== undefined) headers.authorization = `Bearer ${bearer}`
  if (body !== undefined) headers['content-type'] = 'application/json'
  return {
    method: body === undefined ? 'GET' : 'POST',
    headers,
    body: body === undefined ? null : JSON.stringify(body),
    mode: 'cors',
    credentials: 'omit',
    cache: 'no-store',
    referrerPolicy: 'no-referrer',
  }
}

async function refusalOf(response: Response): Promise<Refused> {
  const said: Partial<ChatError> = await response.json().catch(() => ({}))
  const seconds = Number(response.headers.get('retry-after') || Number.NaN)
  return Object.assign(new Error(typeof said.message === 'string' ? said.message : `HTTP ${response.status}`), {
    status: response.status,
    reason: said.reason,
    againMs: seconds >= 0 ? seconds * 1_000 : undefined,
  })
}

export function isRefused(error: unknown): error is Refused {
  return error instanceof Error && 'status' in error
}
