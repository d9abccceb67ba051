import type { ChatStream } from './chat-stream.ts'

const everyMs = 25_000
/** They come in so many turns, so that nobody waits for ten thousand of them. */
const turns = 50

/** Writes a comment to every stream now and then, for as long as there are any. */
export function openBeats(streams: () => Iterable<ChatStream>): { wake: () => void; stop: () => void } {
  let timer: NodeJS.Timeout | undefined
  let turn = 0

  function beat(): void {
    turn = (turn + 1) % turns
    let n = 0
    for (const stream of streams()) {
      if (n % turns === turn) stream.beat()
      n += 1
    }
    if (n === 0) stop()
  }

  function stop(): void {
    clearInterval(timer)
    timer = undefined
  }

  return {
    wake: () => {
      timer ??= setInterval(beat, everyMs / turns).unref()
    },
    stop,
  }
}
