import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../../ui/button.tsx'
import { CopyLine } from '../../../ui/copy-line.tsx'
import { KeyValues } from '../../../ui/kv.tsx'
import { Time } from '../../../ui/time.tsx'
import type { PageChat } from '../../data/chat-of.ts'
import { oneWords as words } from '../words.ts'

/** Where it is, and where it is changed. */
export function ChatAbout({ channel: { id, createdAt, chat } }: { channel: PageChat }) {
  return (
    <section className="stack stack-3" aria-label={words.chatSettings}>
      <h2 className="h-section">{words.chatSettings}</h2>
      <KeyValues
        lines={[
          [words.onPages, <bdi key="pages">{chat.settings.pages.join(', ')}</bdi>],
          [words.since, <Time key="since" at={createdAt} />],
          [words.channelId, <CopyLine bare key="id" text={id} what={words.channelIdCopy} />],
        ]}
      />
      <p className="muted">{words.chatSettingsSays}</p>
      <div className="row">
        <Link to="/settings/website-chat" search={{ channel: id }} className={buttonClass()}>
          {words.openChatSettings}
        </Link>
      </div>
    </section>
  )
}
