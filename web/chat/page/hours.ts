import type { ChatSettings, ChatState } from '@patchbay/contract/chat/protocol.ts'

/** Who is there by the loader alone: before a chat has begun, the server is asked nothing. */
export function stateByHours({ hours, hasBot }: Pick<ChatSettings, 'hours' | 'hasBot'>, now: number): ChatState {
  const isOpen = hours === null || hours.some(([from, to]) => from <= now && now < to)
  const next = isOpen || hours === null ? undefined : hours.find(([from]) => from > now)
  return {
    by: hasBot ? 'bot' : 'nobody',
    name: null,
    isOpen,
    opensAt: next === undefined ? null : next[0],
    mayAskEmail: false,
  }
}
