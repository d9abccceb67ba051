import { BoundedMap } from '../../../platform/collections.ts'
import type { Asking } from '../entry/admit.ts'
import { closed, full, tooMuch } from '../entry/refused.ts'
import type { Days } from '../limits/days.ts'
import type { Layers } from '../limits/layers.ts'
import type { OnChat } from '../visitors/visitor-store.ts'

/** Whether there is room for a message. */
export type Room = {
  /** Refuses somebody new where nobody new may come. It counts nothing, so that the head of a request is enough. */
  refuseNew: (asking: Asking) => void
  /** Takes the place of a message once: what is sent again, because its answer was lost, is no second one, and nobody is new twice. */
  take: (asking: Asking, sid: string) => Promise<void>
  /** The chat has had all the new people of its day: the rows of the day need not be asked for each one who comes. */
  noteFullDay: (on: OnChat) => void
}

const mostRemembered = 50_000
const mostChannels = 10_000
const fullForMs = 2_000
const hourMs = 3_600_000

export function openRoom({ layers, days }: Readonly<{ layers: Layers; days: Days }>): Room {
  const taken = new BoundedMap<string, true>(mostRemembered)
  const newcomers = new BoundedMap<string, true>(mostRemembered)
  const fullUntil = new BoundedMap<string, number>(mostChannels)

  function refuseNew({ chat, on, name, place, known, member }: Asking): void {
    if (known || member) return
    if (layers.isBlocked(place)) throw closed()
    if (newcomers.has(name)) return
    const waitMs = layers.ofPlace(place, 'contact', { isCounted: false })
    if (waitMs > 0) throw tooMuch(waitMs)
    if ((fullUntil.get(on.channelId) ?? 0) > Date.now()) throw full(hourMs)
    const fullMs = layers.ofChannel(on.channelId, 'contact', chat.settings.caps, false)
    if (fullMs > 0) throw full(fullMs)
  }

  function letIn(asking: Asking): void {
    const { chat, on, name, place, known, member } = asking
    refuseNew(asking)
    if (known || member || newcomers.has(name)) return
    layers.ofPlace(place, 'contact', { isCounted: true })
    layers.ofChannel(on.channelId, 'contact', chat.settings.caps, true)
    newcomers.set(name, true)
  }

  return {
    refuseNew,
    take: async (asking, sid) => {
      const { chat, on, name } = asking
      const { caps } = chat.settings
      letIn(asking)
      if (taken.has(sid)) return
      const waitMs = layers.ofVisitor(name, 'message', { isCounted: true })
      if (waitMs > 0) throw tooMuch(waitMs)
      const fullMs = layers.ofChannel(on.channelId, 'message', caps, true)
      if (fullMs > 0) throw full(fullMs)
      if ((await days.soFar(on)).messages >= caps.messagesADay) throw full(hourMs)
      taken.set(sid, true)
    },
    noteFullDay: ({ channelId }) => void fullUntil.set(channelId, Date.now() + fullForMs),
  }
}
