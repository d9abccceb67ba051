import type { ChannelInUse } from '@patchbay/contract/app/channels.ts'
import type { ProviderKindName } from '@patchbay/contract/channels.ts'
import { call } from '../../data/api.ts'
import { showToast } from '../../ui/toast.ts'
import { secretLabelOf, senderWords } from '../connect/kind-words.ts'
import { refreshChannels } from '../data/queries.ts'
import { CredentialsForm } from '../parts/credentials-form.tsx'
import { SavedSecret } from '../parts/secret.tsx'
import { channelWords } from '../words.ts'
import { oneWords as words } from './words.ts'

type Props = { channel: ChannelInUse; kind: ProviderKindName; isOpen: boolean; setOpen: (isOpen: boolean) => void }

/** They go in and never come out. New ones are tried before the old ones are dropped. */
export function Credentials({ channel: { id, version }, kind, isOpen, setOpen }: Props) {
  const { fields, optional } = senderWords[kind]
  return (
    <section className="stack stack-3" aria-label={words.credentials} id="credentials">
      <h2 className="h-section">{words.credentials}</h2>
      {isOpen ? (
        <CredentialsForm
          fields={fields.filter(({ isFixed }) => !isFixed)}
          optional={optional}
          hint={words.tokenHint}
          act={channelWords.check}
          acting={channelWords.checking}
          focused
          send={(credentials) =>
            call('PATCH /api/channels/:channelId', {
              params: { channelId: id },
              body: { credentials, version },
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
        <SavedSecret label={secretLabelOf(kind)} onReplace={() => setOpen(true)} />
      )}
    </section>
  )
}
