import './parts.css'
import Gauge from 'lucide-react/icons/gauge'
import Hourglass from 'lucide-react/icons/hourglass'
import Pause from 'lucide-react/icons/pause'
import Plug from 'lucide-react/icons/plug'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import WifiOff from 'lucide-react/icons/wifi-off'
import { StatusDot } from '../../ui/status-dot.tsx'
import { Tag, type Tone } from '../../ui/tag.tsx'
import { channelWords as words } from '../words.ts'
import type { ShownState } from './state-of.ts'

const signs = {
  attention: ['fail', TriangleAlert],
  held: ['wait', Hourglass],
  connecting: ['wait', Plug],
  paused: ['neutral', Pause],
  slowed: ['wait', Gauge],
  silent: ['wait', WifiOff],
} as const satisfies Record<Exclude<ShownState, 'working'>, readonly [Tone, unknown]>

/** The state of a channel: a lamp where it works, else a tag. */
export function StateTag({ state }: { state: ShownState }) {
  if (state === 'working') {
    return (
      <span className="channel-state">
        <StatusDot state="ok" />
        {words.states.working}
      </span>
    )
  }
  const [tone, Icon] = signs[state]
  return (
    <Tag tone={tone}>
      <Icon className="i" />
      {words.states[state]}
    </Tag>
  )
}
