import type { ChannelKind } from '@patchbay/contract/channels.ts'
import type { Kind } from './kinds/kind.ts'

/** Every kind. It is loaded when the first channel of it is used, so that who has none pays nothing for it. */
const loaders: Record<ChannelKind, () => Promise<Kind>> = {
  telegram: async () => (await import('./kinds/telegram/telegram.ts')).telegram,
  sms: async () => (await import('./kinds/sms/sms.ts')).sms,
  webchat: async () => (await import('./kinds/webchat/webchat.ts')).webchat,
}

export function loadKind(name: ChannelKind): Promise<Kind> {
  return loaders[name]()
}
