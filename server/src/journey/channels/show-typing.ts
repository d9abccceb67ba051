import { loadOnce } from '../../platform/load-once.ts'
import type { TypingCtx, TypingTo } from './keep-typing.ts'

/** Shows somebody that an answer is being written, until it is disposed of. Nothing depends on it, and it never throws. */
export type ShowTyping = (to: TypingTo) => Disposable

/** What it needs is loaded with the first answer over a channel, so that an installation without channels pays nothing for it. */
export function openShowTyping(ctx: TypingCtx): ShowTyping {
  const load = loadOnce(async () => (await import('./keep-typing.ts')).openKeepTyping(ctx))
  return (to) => {
    const shown = new AbortController()
    load()
      .then((keepTyping) => keepTyping(to, shown.signal))
      .catch((error) => {
        if (!shown.signal.aborted) ctx.log.debug({ reason: String(error) }, 'that an answer is written is not shown')
      })
    return { [Symbol.dispose]: () => shown.abort() }
  }
}
