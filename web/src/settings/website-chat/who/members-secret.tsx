import '../../../channels/parts/parts.css'
import { useMutation } from '@tanstack/react-query'
import KeyRound from 'lucide-react/icons/key-round'
import Lock from 'lucide-react/icons/lock'
import { useState } from 'react'
import type { PageChat } from '../../../channels/data/chat-of.ts'
import { refreshChannels } from '../../../channels/data/queries.ts'
import { call } from '../../../data/api.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyLine } from '../../../ui/copy-line.tsx'
import { Failed } from '../../../ui/failed.tsx'
import { Note } from '../../../ui/note.tsx'
import { Time } from '../../../ui/time.tsx'
import type { ChatForm } from '../form/use-chat-form.ts'
import { valuesOf } from '../form/values.ts'
import { chatWords as words } from '../words.ts'

type Props = { channel: PageChat; form: ChatForm; mayChange: boolean }

/** What the shop signs its customers with: shown once, when it is made. */
export function MembersSecret({ channel: { id, chat }, form, mayChange }: Props) {
  const [isAsking, setAsking] = useState(false)
  const [fresh, setFresh] = useState<string>()
  const make = useMutation({
    mutationFn: () => call('POST /api/channels/:channelId/secret', { params: { channelId: id } }),
    onSuccess: ({ secret, channel: { name, version, ...now } }) => {
      setFresh(secret)
      setAsking(false)
      form.takeOver({ values: valuesOf({ name, chat: now.chat ?? chat }), version })
      return refreshChannels()
    },
  })
  const { secretMadeAt } = chat
  return (
    <div className="field">
      <span className="label">{words.secret}</span>
      {fresh !== undefined && (
        <Note tone="ok" icon={KeyRound} role="status">
          <div className="stack">
            <b className="strong">{words.secretShown}</b>
            <CopyLine text={fresh} what={words.secretWhat} whole />
          </div>
        </Note>
      )}
      <div className="channel-secret">
        <Lock className="i" />
        <span className="grow">
          {secretMadeAt === null ? (
            words.secretNone
          ) : (
            <>
              {words.secretMade} <Time at={secretMadeAt} />. {words.neverShown}
            </>
          )}
        </span>
        {mayChange && !isAsking && (
          <Button
            size="sm"
            busy={make.isPending && words.makingSecret}
            onClick={() => (secretMadeAt === null ? make.mutate() : setAsking(true))}
          >
            {secretMadeAt === null ? words.makeSecret : words.newSecret}
          </Button>
        )}
      </div>
      {isAsking && (
        <Note tone="wait">
          <div className="stack">
            <p>
              <b className="strong">{words.newSecretAsk}</b> <span className="muted">{words.newSecretSays}</span>
            </p>
            <div className="row wrap">
              <Button size="sm" busy={make.isPending && words.makingSecret} onClick={() => make.mutate()}>
                {words.newSecret}
              </Button>
              <Button size="sm" look="quiet" onClick={() => setAsking(false)}>
                {words.cancel}
              </Button>
            </div>
          </div>
        </Note>
      )}
      <Failed error={make.error} />
      <span className="hint">{words.secretHint}</span>
    </div>
  )
}
