import '../../../ui/check.css'
import type { ChannelSender } from '@patchbay/contract/app/channels.ts'
import type { ProviderKindName } from '@patchbay/contract/channels.ts'
import { useMutation } from '@tanstack/react-query'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { useId, useState } from 'react'
import { call } from '../../../data/api.ts'
import { queryClient } from '../../../data/queries.ts'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { Failed } from '../../../ui/failed.tsx'
import { Note } from '../../../ui/note.tsx'
import { StepLine } from '../../../ui/step.tsx'
import { channelQuery, refreshChannels } from '../../data/queries.ts'
import { senderWords } from '../kind-words.ts'
import type { Asked } from '../proof.tsx'
import { connectWords as words } from '../words.ts'

type Props = {
  n: number
  kind: ProviderKindName
  asked: Asked | undefined
  /** The credentials that were asked with. */
  given: Record<string, string>
  onConnected: (channelId: string) => unknown
}

/** Which sender of the account it is to be. What another tool has set at it is shown before it is replaced. */
export function ChoiceStep({ n, kind, asked, given, onConnected }: Props) {
  const [chosen, choose] = useState<string>()
  const { choice } = senderWords[kind]
  const sender = asked?.senders.find((one) => one.sender === chosen && one.why === null)
  const { mutate, isPending, error } = useMutation({
    mutationFn: async ({ sender: name, reportsTo }: ChannelSender) => {
      const body = { kind, credentials: { ...given, sender: name }, takesOver: reportsTo !== null }
      return (await call('POST /api/channels', { body })).id
    },
    onSuccess: async (channelId) => {
      await Promise.all([refreshChannels(), queryClient.fetchQuery(channelQuery(channelId))])
      return onConnected(channelId)
    },
  })
  if (!choice) return null
  return (
    <StepLine n={n} title={choice.sender} isDone={false} isCurrent={asked !== undefined} isBad={error !== null}>
      {asked && asked.senders.length === 0 && <p className="muted">{choice.none}</p>}
      {asked && asked.senders.length > 0 && <SenderList {...{ chosen, choose }} {...asked} legend={choice.sender} />}
      {sender && sender.reportsTo !== null && (
        <Note icon={TriangleAlert} tone="wait">
          <b className="strong">{choice.goesTo(sender.reportsTo)}</b> <span className="muted">{choice.takesOver}</span>
        </Note>
      )}
      <Failed error={error ?? undefined} />
      {sender && (
        <div>
          <Button look="primary" busy={isPending && words.connecting} onClick={() => mutate(sender)}>
            {choice.use[sender.what]}
          </Button>
        </div>
      )}
    </StepLine>
  )
}

type ListProps = {
  senders: readonly ChannelSender[]
  legend: string
  chosen: string | undefined
  choose: (sender: string) => void
}

/** What cannot be chosen stays in the list, with why. */
function SenderList({ senders, legend, chosen, choose }: ListProps) {
  const id = useId()
  return (
    <fieldset className="connect-senders">
      <legend className="sr">{legend}</legend>
      {senders.map(({ sender, name, says, what, why }) => (
        <label className={classes('connect-sender', why !== null && 'off')} key={sender}>
          <input
            type="radio"
            className="check"
            name={`${id}-sender`}
            checked={chosen === sender}
            disabled={why !== null}
            onChange={() => choose(sender)}
          />
          <span>
            <bdi className={what === 'messaging service' ? 'strong' : 'mono'}>{name}</bdi>{' '}
            <span className="muted">{why ?? says}</span>
          </span>
          <span className="small faint">{what}</span>
        </label>
      ))}
    </fieldset>
  )
}
