import type { ConversationDetail } from '@patchbay/contract/app/conversations.ts'
import type { Channel } from '@patchbay/contract/app/messages.ts'
import { Link, useNavigate } from '@tanstack/react-router'
import ArrowLeft from 'lucide-react/icons/arrow-left'
import Ellipsis from 'lucide-react/icons/ellipsis'
import FlaskConical from 'lucide-react/icons/flask-conical'
import PanelRight from 'lucide-react/icons/panel-right'
import Pencil from 'lucide-react/icons/pencil'
import Undo2 from 'lucide-react/icons/undo-2'
import UserRound from 'lucide-react/icons/user-round'
import { ChannelLabel } from '../../ui/channel.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, type MenuItem } from '../../ui/menu.tsx'
import { Tag } from '../../ui/tag.tsx'
import { inboxWords as words } from '../../words/inbox.ts'
import { useActions } from '../data/use-actions.ts'
import { whoAnswers } from '../who-answers.ts'

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

function More({ contactId, detail, toggleContact }: Props) {
  const actions = useActions(contactId)
  const navigate = useNavigate()
  const { plugged, canSwitch } = detail ? whoAnswers(detail) : { plugged: null, canSwitch: false }
  const switches: MenuItem[] = [
    ...(plugged === 'person' ? [] : [item(words.takeOver, UserRound, () => void actions.takeOver(), 't')]),
    ...(plugged === 'bot' ? [] : [item(words.handBackAndAnswer, Undo2, () => void actions.handBackAndAnswer())]),
  ]
  const items: MenuItem[] = [
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
