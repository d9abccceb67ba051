import type { AppRouteName, PartOf, ReplyOf } from '@patchbay/contract/app/routes.ts'
import type { Me } from '@patchbay/contract/app/session.ts'
import { createStore } from './store.ts'

/** The server refused: it says why, in words that may be shown. */
export class ApiError extends Error {
  readonly code: string
  readonly status: number
  readonly requestId: string | null
  /** How long to wait, if the server says so. */
  readonly retryAfterSeconds: number | null
  /** What somebody else said, such as a provider, word for word. */
  readonly quote: string | null

  constructor(message: string, facts: Pick<ApiError, 'code' | 'status' | 'requestId' | 'retryAfterSeconds' | 'quote'>) {
    super(message)
    this.name = 'ApiError'
    this.code = facts.code
    this.status = facts.status
    this.requestId = facts.requestId
    this.retryAfterSeconds = facts.retryAfterSeconds
    this.quote = facts.quote
  }
}

/** The server was not reached, so nobody knows whether it did what was asked. */
export class ConnectionError extends Error {
  override name = 'ConnectionError'
}

type Part<Name extends AppRouteName, P extends 'params' | 'query' | 'body'> =
  PartOf<Name, P> extends undefined
    ? { [K in P]?: never }
    : object extends PartOf<Name, P>
      ? { [K in P]?: PartOf<Name, P> }
      : { [K in P]: PartOf<Name, P> }

type Parts<Name extends AppRouteName> = Part<Name, 'params'> & Part<Name, 'query'> & Part<Name, 'body'>

/** A route that needs no part can be called by its name alone. */
export type PartsOf<Name extends AppRouteName> = object extends Parts<Name> ? [parts?: Parts<Name>] : [Parts<Name>]

/** Calls a route of the app's API: `await call('GET /api/contacts', { query: { q: 'ana' } })`. */
export async function call<Name extends AppRouteName>(name: Name, ...parts: PartsOf<Name>): Promise<ReplyOf<Name>> {
  return await callWithSignal(name, undefined, ...parts)
}

/** Calls a route as `call` does, for a call that may be given up. */
export async function callWithSignal<Name extends AppRouteName>(
  name: Name,
  signal: AbortSignal | undefined,
  ...[parts]: PartsOf<Name>
): Promise<ReplyOf<Name>> {
  const [method = 'GET', path = ''] = name.split(' ')
  const { params, query, body } = (parts ?? {}) as AnyParts
  const response = await request(addressOf(path, params, query), {
    method,
    credentials: 'same-origin',
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(!signsIn.has(name) && whosePage()),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
  buildOfServer.set(response.headers.get('x-app-build'))
  if (!response.ok) throw noticeSignedOut(name, await readRefusal(response))
  const reply = (await readJson(response)) as ReplyOf<Name>
  if (signsIn.has(name) || path === '/api/session/visit' || name === 'GET /api/session') {
    signedInUser.set((reply as Me).user.id)
  }
  if (method !== 'GET' && (signsIn.has(name) || path.startsWith('/api/session')))
    otherTabs?.postMessage('session changed')
  return reply
}

/** The routes that sign somebody in, whoever was signed in before. */
const signsIn: ReadonlySet<AppRouteName> = new Set([
  'POST /api/session',
  'POST /api/links/invitation',
  'POST /api/links/password',
])

/**
 * Whose data this page shows. It is sent along, and the server refuses when the cookie is another's by now: all tabs
 * share it, so after somebody else has signed in in another tab nothing may be done in their name here.
 */
export const signedInUser = createStore<string | null>(null)
/** Whose data it was until their session ended: nobody else goes on in this page without signing in here. */
let formerUser: string | null = null

function whosePage(): Record<string, string> {
  const user = signedInUser.get() ?? formerUser
  return user === null ? {} : { 'x-app-user': user }
}

let otherTabs: BroadcastChannel | undefined

/** After somebody signed in or out in another tab, asks whether this one's user is still signed in. */
export function watchOtherTabs(): void {
  otherTabs = new BroadcastChannel('session')
  otherTabs.onmessage = () => {
    askWhetherSignedIn()
    for (const tell of sessionListeners) tell()
  }
}

const sessionListeners = new Set<() => void>()

/** Calls the listener when somebody signed in or out in another tab. */
export function onSessionChange(listener: () => void): () => void {
  sessionListeners.add(listener)
  return () => sessionListeners.delete(listener)
}

/** Asks whether this page's user is still the one that is signed in. */
export function askWhetherSignedIn(): void {
  if (signedInUser.get() !== null) void call('GET /api/session').catch(() => {}) // a refusal is told to `onSignedOut`
}

/** The id of the build that the server serves now, as its last answer said; null before, and under `npm run dev`. */
export const buildOfServer = createStore<string | null>(null)

const signedOutListeners = new Set<(reason: string) => void>()

function noticeSignedOut(name: AppRouteName, refusal: ApiError): ApiError {
  if (refusal.status !== 401 || signsIn.has(name) || signedInUser.get() === null) return refusal
  formerUser = signedInUser.get()
  signedInUser.set(null)
  for (const tell of signedOutListeners) tell(refusal.message)
  return refusal
}

/** Calls the listener, with a sentence, when the session has ended, or is another user's by now. */
export function onSignedOut(listener: (reason: string) => void): () => void {
  signedOutListeners.add(listener)
  return () => signedOutListeners.delete(listener)
}

/** A file to send, and how far it is; the promise is rejected when `signal` aborts. */
export type Upload = { bytes: Blob; onProgress: (sentBytes: number) => void; signal: AbortSignal }

/** Calls a route whose body is a file. `fetch` does not say how far it is. */
export async function upload<Name extends AppRouteName>(
  name: Name,
  { bytes, onProgress, signal }: Upload,
  ...[parts]: PartsOf<Name>
): Promise<ReplyOf<Name>> {
  const [method = 'POST', path = ''] = name.split(' ')
  const { params, query } = (parts ?? {}) as AnyParts
  const headers = { accept: 'application/json', 'content-type': 'application/octet-stream', ...whosePage() }
  const response = await new Promise<Response>((resolve, reject) => {
    const http = new XMLHttpRequest()
    http.open(method, addressOf(path, params, query))
    for (const [header, value] of Object.entries(headers)) http.setRequestHeader(header, value)
    http.upload.onprogress = ({ loaded }) => onProgress(loaded)
    http.onload = () => resolve(responseOf(http))
    http.onerror = () => reject(new ConnectionError('The server was not reached.'))
    http.onabort = () => reject(signal.reason)
    signal.addEventListener('abort', () => http.abort(), { once: true })
    http.send(bytes)
  })
  if (!response.ok) throw noticeSignedOut(name, await readRefusal(response))
  return (await readJson(response)) as ReplyOf<Name>
}

function responseOf(http: XMLHttpRequest): Response {
  const headers = new Headers()
  for (const header of ['retry-after', 'x-request-id']) {
    const value = http.getResponseHeader(header)
    if (value !== null) headers.set(header, value)
  }
  return new Response(http.responseText, { status: http.status, headers })
}

type AnyParts = {
  params?: Record<string, string>
  query?: Record<string, string | undefined>
  body?: unknown
}

function addressOf(path: string, params: AnyParts['params'] = {}, query: AnyParts['query'] = {}): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return given.length === 0 ? filled : `${filled}?${new URLSearchParams(given)}`
}

async function request(address: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(address, options)
  } catch (error) {
    if (options.signal?.aborted) throw error
    throw new ConnectionError('The server was not reached.', { cause: error })
  }
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch (error) {
    throw new ConnectionError('The answer broke off.', { cause: error })
  }
}

/** An answer that is not ours, such as a proxy's page, has no code; it counts as an error on the server's side. */
async function readRefusal(response: Response): Promise<ApiError> {
  const body: { error?: { code?: string; message?: string; quote?: string } } = await response.json().catch(() => ({}))
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new ApiError(body.error?.message ?? response.statusText, {
    code: body.error?.code ?? 'INTERNAL',
    status: response.status,
    requestId: response.headers.get('x-request-id'),
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null,
    quote: body.error?.quote ?? null,
  })
}
