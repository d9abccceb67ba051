import type { WebchatSettings } from '@patchbay/contract/chat/settings.ts'
import { memberSecretsOf } from '../../../journey/channels/credentials.ts'
import type { OpenChannel } from '../../../journey/channels/open-channels.ts'
import type { ChannelRow } from '../../../journey/channels/store.ts'

/** A website chat, as its owner has set it. */
export type Chat = {
  row: Pick<ChannelRow, 'accountId' | 'id' | 'pausedAt'>
  settings: WebchatSettings
  /** Any of them may have signed who a member is: a replaced one counts for a day. */
  secrets: readonly string[]
}

/** Undefined: a channel of another sort. */
export function chatOf({ row, kind, credentials }: OpenChannel, now: number): Chat | undefined {
  if (kind.leaves !== 'when stored') return undefined
  const secrets = credentials ? memberSecretsOf(credentials, now) : []
  return { row, settings: row.settings as WebchatSettings, secrets } // as the kind has read the settings
}

/** The first name of somebody of the team, where the owner lets it be shown. */
export function shownName({ showsNames }: WebchatSettings, name: string | null): string | null {
  return showsNames ? (name?.trim().split(/\s+/)[0] ?? null) : null
}
