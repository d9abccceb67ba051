import { useState } from 'react'
import type { PageChat } from '../../../channels/data/chat-of.ts'
import { Button } from '../../../ui/button.tsx'
import { Note } from '../../../ui/note.tsx'
import { Time } from '../../../ui/time.tsx'
import type { ChatForm } from '../form/use-chat-form.ts'
import { chatWords as words } from '../words.ts'
import { nameOfOrigin } from './page-names.ts'

type Props = { channel: PageChat; form: ChatForm; mayChange: boolean }

/** The page that was last kept out. It may be let in; the name that is added is shown and asked for first. */
export function LastRefused({ channel, form, mayChange }: Props) {
  const [isAsking, setAsking] = useState(false)
  const { refused } = channel.chat
  if (!refused) return null
  const name = nameOfOrigin(refused.origin)
  const isLetIn = name !== undefined && form.values.pages.includes(name)
  if (isLetIn) return null
  if (isAsking && name !== undefined) {
    return (
      <Note tone="wait">
        <div className="stack">
          <p>{words.allowAsk(name)}</p>
          <div className="row wrap">
            <Button
              size="sm"
              onClick={() => {
                form.set({ pages: [...form.values.pages, name] })
                setAsking(false)
              }}
            >
              {words.allowIt(name)}
            </Button>
            <Button size="sm" look="quiet" onClick={() => setAsking(false)}>
              {words.allowNot}
            </Button>
          </div>
        </div>
      </Note>
    )
  }
  return (
    <p className="hint">
      {words.lastRefused} <bdi className="mono">{name ?? refused.origin}</bdi>, <Time at={refused.at} />.{' '}
      {name === undefined
        ? words.onlyHttps
        : mayChange && (
            <button type="button" className="link" onClick={() => setAsking(true)}>
              {words.allow}
            </button>
          )}
    </p>
  )
}
