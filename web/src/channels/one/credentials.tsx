import type { ChannelInUse } from '@patchbay/contract/app/channels.ts'
import { call } from '../../data/api.ts'
import { showToast } from '../../ui/toast.ts'
import { refreshChannels } from '../data/queries.ts'
import { SavedSecret, SecretForm } from '../parts/secret.tsx'
import { channelWords } from '../words.ts'
import { oneWords as words } from './words.ts'

type Props = { channel: ChannelInUse; isOpen: boolean; setOpen: (isOpen: boolean) => void }

/** The token: it goes in and never comes out. A new one is tried before the old one is dropped. */
export function Credentials({ channel: { id, version }, isOpen, setOpen }: Props) {
  return (
    <section className="stack stack-3" aria-label={words.credentials} id="credentials">
      <h2 className="h-section">{words.credentials}</h2>
      {isOpen ? (
        <SecretForm
          label={channelWords.token}
          missing={channelWords.tokenMissing}
          hint={words.tokenHint}
          act={channelWords.check}
          acting={channelWords.checking}
          focused
          send={(token) =>
            call('PATCH /api/channels/:channelId', {
              params: { channelId: id },
              body: { credentials: { token }, version },
            })
          }
          onSaved={({ state }) => {
            setOpen(false)
            showToast({ text: state === 'working' ? words.tokenSaved : words.savedOnly })
            return refreshChannels()
          }}
          onCancel={() => setOpen(false)}
        />
      ) : (
        <SavedSecret label={channelWords.token} onReplace={() => setOpen(true)} />
      )}
    </section>
  )
}
