import type { ChannelCheck, ChannelInUse } from '@patchbay/contract/app/channels.ts'

/** How far a channel is connected, by what really came: its secret is known, its messages come to us, one has come. */
export type Progress = {
  secret: boolean
  receiving: boolean
  message: boolean
  /** What keeps it from being done, by the check that found it. */
  failing: {
    secret: ChannelCheck | undefined
    sender: ChannelCheck | undefined
    receiving: ChannelCheck | undefined
  }
}

export function progressOf(channel: Pick<ChannelInUse, 'state' | 'checks' | 'lastEventAt'> | undefined): Progress {
  const find = (name: ChannelCheck['name']) => channel?.checks.find((check) => check.name === name)
  const failing = (name: ChannelCheck['name']) => {
    const check = find(name)
    return check?.state === 'failing' ? check : undefined
  }
  const secret = channel !== undefined && !failing('credentials')
  return {
    secret,
    receiving: secret && channel.state === 'working' && !failing('receiving'),
    message: channel?.lastEventAt != null,
    failing: { secret: failing('credentials'), sender: failing('sender'), receiving: failing('receiving') },
  }
}
