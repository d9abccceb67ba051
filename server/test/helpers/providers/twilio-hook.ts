import { createHmac } from 'node:crypto'
import { request } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'

/** Posts a form and signs it, as Twilio does. */
type Post = { url: string; fallback?: string; form: Record<string, string> }

export type Poster = {
  post: (post: Post) => Promise<void>
  /** What was posted and what was answered, in order. */
  posted: { url: string; form: Record<string, string>; status: number | string; body: string }[]
  /** Whether the fragment of an address that was set is signed with it. Nobody has said what Twilio does. */
  signsFragment: boolean
  stop: () => void
}

const retryMs = 100

/** `authToken` is asked each time: it may have been replaced. */
export function openPoster(authToken: () => string): Poster {
  let isStopped = false
  const poster: Poster = {
    posted: [],
    signsFragment: false,
    stop: () => {
      isStopped = true
    },
    async post({ url, fallback, form }) {
      const tries = 1 + Number(/#.*\brc=(\d)/.exec(url)?.[1] ?? 0)
      for (let n = 0; n < tries && !isStopped; n += 1) {
        if (await postOnce(url, form)) return
        await sleep(retryMs)
      }
      if (fallback && !isStopped) await postOnce(fallback, form)
    },
  }

  async function postOnce(url: string, form: Record<string, string>): Promise<boolean> {
    const [address = ''] = url.split('#')
    const signature = sign(authToken(), poster.signsFragment ? url : address, form)
    const sent = await send(address, form, signature).catch((error: Error) => ({ status: error.message, body: '' }))
    poster.posted.push({ url: address, form, ...sent })
    return typeof sent.status === 'number' && sent.status < 400
  }

  return poster
}

/** The address, and then each parameter with its value, by name. */
export function sign(authToken: string, url: string, form: Record<string, string>): string {
  const names = Object.keys(form).sort()
  const text = names.reduce((all, name) => all + name + form[name], url)
  return createHmac('sha1', authToken).update(text, 'utf8').digest('base64')
}

async function send(url: string, form: Record<string, string>, signature: string) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>()
  const headers = {
    'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
    'x-twilio-signature': signature,
    'i-twilio-idempotency-token': crypto.randomUUID(),
  }
  // It is the double that trusts the certificate of the server under test; who calls it is not judged here.
  const options = { method: 'POST', headers, rejectUnauthorized: false, timeout: 10_000 }
  const sent = request(url, options, (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk) => chunks.push(chunk))
    response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }))
  })
  sent.on('error', reject)
  sent.on('timeout', () => sent.destroy(new Error('no answer')))
  sent.end(new URLSearchParams(form).toString())
  return promise
}
