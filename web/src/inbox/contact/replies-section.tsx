import type { ConversationDetail } from '@patchbay/contract/app/conversations.ts'
import { Link } from '@tanstack/react-router'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { Tag } from '../../ui/tag.tsx'
import { inboxWords as words } from '../words.ts'

/** What became of the replies to this contact. */
export function RepliesSection({ detail: { replies, conversation } }: { detail: ConversationDetail }) {
  const isCustom = conversation.channel.kind === null
  return (
    <section className="panel-sec">
      <h3>
        {words.replies}{' '}
        <Link
          {...(isCustom
            ? { to: '/settings/webhook' }
            : { to: '/channels/$channelId', params: { channelId: conversation.channel.label } })}
          className="link small"
          aria-label={isCustom ? words.logLong : words.logOfChannel}
        >
          {words.log}
        </Link>
      </h3>
      <div className="row between">
        <span>
          {words.repliesSent(replies.sent)}
          {replies.waiting > 0 && ` · ${words.repliesWaiting(replies.waiting)}`}
        </span>
        {replies.failed > 0 && (
          <Tag tone="fail">
            <TriangleAlert className="i" />
            {words.repliesFailing(replies.failed)}
          </Tag>
        )}
      </div>
      {replies.failed > 0 && (
        <p className="small muted">{isCustom ? words.nothingLost : words.nothingLostOverChannel}</p>
      )}
    </section>
  )
}
