import type { ProviderKindName } from '@patchbay/contract/channels.ts'
import { useState } from 'react'
import { call } from '../../../data/api.ts'
import { KindMark } from '../../../ui/channel.tsx'
import { StepLine } from '../../../ui/step.tsx'
import { CredentialsForm } from '../../parts/credentials-form.tsx'
import { SavedSecret } from '../../parts/secret.tsx'
import { secretLabelOf, senderWords } from '../kind-words.ts'
import type { Asked } from '../proof.tsx'
import { connectWords as words } from '../words.ts'

type Props = {
  n: number
  kind: ProviderKindName
  /** What the provider has said to the credentials. */
  asked: Asked | undefined
  onAsked: (asked: Asked, given: Record<string, string>) => void
  /** Others are to be given. */
  onChange: () => void
}

/** Done when the provider takes the credentials. They stay in this page until a sender is chosen, and are nowhere else. */
export function AccountStep({ n, kind, asked, onAsked, onChange }: Props) {
  const [isRefused, setRefused] = useState(false)
  const { secret, fields, optional, choice } = senderWords[kind]
  if (!choice) return null
  return (
    <StepLine n={n} title={secret} isDone={asked !== undefined} isCurrent={!asked} isBad={isRefused}>
      {asked ? (
        <>
          <SavedSecret label={secretLabelOf(kind)} says={choice.held} replace={choice.change} onReplace={onChange} />
          <div className="connect-found">
            <KindMark kind={kind} colour={8} />
            <b className="strong">
              <bdi>{asked.of}</bdi>
            </b>
            <span className="muted">{asked.remark ?? choice.full}</span>
          </div>
        </>
      ) : (
        <CredentialsForm
          fields={fields}
          optional={optional}
          act={choice.ask}
          acting={choice.asking}
          hint={words.secretHint}
          refusedHint={words.nothingKept}
          send={(credentials) => call('POST /api/channels/senders', { body: { kind, credentials } })}
          onRefused={() => setRefused(true)}
          onSaved={(found, given) => {
            setRefused(false)
            onAsked({ ...found, at: new Date().toISOString() }, given)
          }}
        />
      )}
    </StepLine>
  )
}
