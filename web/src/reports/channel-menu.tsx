import type { Channel } from '@patchbay/contract/app/messages.ts'
import ChevronDown from 'lucide-react/icons/chevron-down'
import { Button } from '../ui/button.tsx'
import { ChannelLabel, sayChannel } from '../ui/channel.tsx'
import { Menu } from '../ui/menu.tsx'
import { reportWords as words } from './words.ts'

type Props = { channels: Channel[]; chosen: string | undefined; onChoose: (label: string | undefined) => void }

/** All channels, or one. */
export function ChannelMenu({ channels, chosen, onChoose }: Props) {
  const channel = channels.find(({ label }) => label === chosen)
  const items = [
    { label: words.allChannels, run: () => onChoose(undefined) },
    ...channels.map((channel) => {
      return { label: sayChannel(channel), group: words.channel, run: () => onChoose(channel.label) }
    }),
  ]
  return (
    <Menu
      label={words.channel}
      items={items}
      trigger={(props) => (
        <Button {...props} look="quiet" className="channel-choice">
          {channel ? <ChannelLabel channel={channel} /> : <span className="cut">{chosen ?? words.allChannels}</span>}
          <ChevronDown className="i i-14" />
        </Button>
      )}
    />
  )
}
