import type { ConversationDetail } from '@patchbay/contract/app/conversations.ts'
import { ChannelLabel } from '../../ui/channel.tsx'
import { clockTime, exactTime } from '../../ui/format-time.ts'
import { KeyValues } from '../../ui/kv.tsx'
import { Switch } from '../../ui/switch.tsx'
import { useNow } from '../../ui/use-now.ts'
import { useStores } from '../data/stores.ts'
import { useActions } from '../data/use-actions.ts'
import { shortName } from '../names.ts'
import { whoAnswers } from '../who-answers.ts'
import { inboxWords as words } from '../words.ts'

/** Who answers now, for which campaign, on which channel, and whether the bot may write at all. */
export function WhoSection({ detail }: { detail: ConversationDetail }) {
  const { contact, campaign, conversation, handler } = detail
  const { setMayBotWrite } = useActions(contact.id)
  const mayWrite = handler !== 'off' && contact.optedOutAt === null
  return (
    <section className="panel-sec">
      <h3>{words.whoAnswers}</h3>
      <KeyValues
        lines={[
          [words.now, <NowAnswers key="now" detail={detail} />],
          [words.campaign, campaign && <bdi>{campaign.name}</bdi>],
          [words.channel, <ChannelLabel key="channel" channel={conversation.channel} />],
        ]}
      />
      <div className="row">
        <Switch on={mayWrite} onChange={(on) => void setMayBotWrite(on)}>
          <span>{words.mayBotWrite(shortName(detail) || words.noName)}</span>
        </Switch>
      </div>
    </section>
  )
}

function NowAnswers({ detail }: { detail: ConversationDetail }) {
  const { me } = useStores()
  const now = useNow('minute')
  const { handlerUser, handlerSince } = detail
  const { plugged, state } = whoAnswers(detail)
  if (plugged === 'bot') return words.nowBot
  if (plugged === null) return state === 'off' || state === 'opted out' ? words.nowOff : words.nowWaiting
  const who = handlerUser?.id === me.user.id ? words.you : (handlerUser?.name ?? words.person)
  if (handlerSince === null) return <bdi>{who}</bdi>
  const since = new Date(handlerSince)
  return <bdi title={exactTime(since)}>{words.nowSince(who, clockTime(since, now))}</bdi>
}
