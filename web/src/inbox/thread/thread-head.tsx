import type { ConversationDetail } from '@patchbay/contract/app/conversations.ts'
import type { Channel } from '@patchbay/contract/app/messages.ts'
import { Link, useNavigate } from '@tanstack/react-router'
import AlarmClock from 'lucide-react/icons/alarm-clock'
import ArrowLeft from 'lucide-react/icons/arrow-left'
import Check from 'lucide-react/icons/check'
import Ellipsis from 'lucide-react/icons/ellipsis'
import FlaskConical from 'lucide-react/icons/flask-conical'
import PanelRight from 'lucide-react/icons/panel-right'
import Pencil from 'lucide-react/icons/pencil'
import Undo2 from 'lucide-react/icons/undo-2'
import UserRound from 'lucide-react/icons/user-round'
import { useCommands } from '../../commands/commands.ts'
import { ChannelLabel } from '../../ui/channel.tsx'
import { exactTime } from '../../ui/format-time.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu } from '../../ui/menu.tsx'
import type { MenuItem } from '../../ui/menu-overlay.tsx'
import { Tag } from '../../ui/tag.tsx'
import { useMedia } from '../../ui/use-media.ts'
import { conversationCommand } from '../conversation-command.ts'
import { useActions } from '../data/use-actions.ts'
import { AssignMenu, useAssignItems } from '../team/assign-menu.tsx'
import { CloseButton } from '../team/close-button.tsx'
import { SnoozeButton } from '../team/snooze-button.tsx'
import { formatTime } from '../team/snooze-times.ts'
import { useCloseOrReopen } from '../team/use-close.ts'
import { teamWords } from '../team/words.ts'
import { whoAnswers } from '../who-answers.ts'
import { inboxWords as words } from '../words.ts'

type Props = {
  contactId: string
  name: string
  channel: Channel | undefined
  detail: ConversationDetail | undefined
  isContactShown: boolean
  toggleContact: () => void
}

/** Who the thread is with, on which channel, and what can be done with all of it. */
export function ThreadHead(props: Props) {
  const { name, channel, detail, isContactShown, toggleContact } = props
  useCommands([{ ...conversationCommand('contact', words.keys.contact, ']', PanelRight), run: toggleContact }])
  return (
    <div className="pane-head thread-head">
      <Link to="/inbox" search={true} className="icon-btn only-small" aria-label={words.back} title={words.back}>
        <ArrowLeft className="i" />
      </Link>
      <div className="grow">
        <h2 className="h-section cut">
          <bdi>{name}</bdi>
        </h2>
        <span className="small row thread-about">
          {channel && <ChannelLabel channel={channel} />}
          {detail?.campaign && (
            <span className="faint only-wide cut">
              · <bdi>{detail.campaign.name}</bdi>
            </span>
          )}
        </span>
      </div>
      {detail?.contact.isSimulated && (
        <Tag>
          <FlaskConical className="i" />
          {words.simulated}
        </Tag>
      )}
      {detail && <StateTag detail={detail} />}
      {detail && (
        <>
          <AssignMenu detail={detail} />
          <SnoozeButton detail={detail} />
          <CloseButton detail={detail} />
        </>
      )}
      <IconButton
        label={words.contactToggle}
        className="only-wide"
        aria-pressed={isContactShown}
        onClick={toggleContact}
      >
        <PanelRight className="i" />
      </IconButton>
      <More {...props} />
    </div>
  )
}

function StateTag({ detail: { conversation } }: { detail: ConversationDetail }) {
  if (conversation.state === 'closed') return <Tag>{teamWords.closed}</Tag>
  if (conversation.snoozedUntil === null) return null
  const until = new Date(conversation.snoozedUntil)
  return (
    <Tag tone="wait" title={exactTime(until)} className="only-wide">
      <AlarmClock className="i" />
      {teamWords.snoozedUntil(formatTime(until))}
    </Tag>
  )
}

function More(props: Props) {
  const { detail } = props
  return detail ? <MoreOfLoaded {...props} detail={detail} /> : null
}

function MoreOfLoaded({ contactId, detail, toggleContact }: Props & { detail: ConversationDetail }) {
  const actions = useActions(contactId)
  const navigate = useNavigate()
  const isPhone = useMedia('(width < 640px)')
  const closeOrReopen = useCloseOrReopen(contactId)
  const assignItems = useAssignItems(detail)
  const { plugged, canSwitch } = whoAnswers(detail)
  const switches: MenuItem[] = [
    ...(plugged === 'person' ? [] : [item(words.takeOver, UserRound, () => void actions.takeOver(), 't')]),
    ...(plugged === 'bot' ? [] : [item(words.handBackAndAnswer, Undo2, () => void actions.handBackAndAnswer())]),
  ]
  const isClosed = detail.conversation.state === 'closed'
  const forTeam: MenuItem[] = [
    item(isClosed ? teamWords.reopen : teamWords.close, isClosed ? Undo2 : Check, closeOrReopen, 'e'),
    ...assignItems.map((each) => ({ ...each, icon: each.icon ?? UserRound, group: teamWords.assignTo })),
  ]
  const items: MenuItem[] = [
    ...(isPhone ? forTeam : []),
    ...(canSwitch ? switches : []),
    item(words.contact, PanelRight, toggleContact, ']'),
    item(words.editContact, Pencil, () => void navigate({ to: '/contacts/$contactId', params: { contactId } })),
  ]
  return (
    <Menu
      label={words.more}
      items={items}
      trigger={(props) => (
        <IconButton {...props} label={words.more}>
          <Ellipsis className="i" />
        </IconButton>
      )}
    />
  )
}

function item(label: string, icon: MenuItem['icon'], run: () => void, press?: string): MenuItem {
  return { label, run, ...(icon && { icon }), ...(press !== undefined && { press }) }
}
