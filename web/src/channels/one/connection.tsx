import type { ChannelInUse } from '@patchbay/contract/app/channels.ts'
import KeyRound from 'lucide-react/icons/key-round'
import Pause from 'lucide-react/icons/pause'
import Play from 'lucide-react/icons/play'
import Unplug from 'lucide-react/icons/unplug'
import Zap from 'lucide-react/icons/zap'
import { Button } from '../../ui/button.tsx'
import { providerNames } from '../../ui/channel.tsx'
import { classes } from '../../ui/classes.ts'
import { duration } from '../../ui/format-time.ts'
import { Path, PathEnd, Wire } from '../../ui/path.tsx'
import { Tag } from '../../ui/tag.tsx'
import { Time } from '../../ui/time.tsx'
import { useIsBack } from '../../ui/use-is-back.ts'
import { useMedia } from '../../ui/use-media.ts'
import { useNow } from '../../ui/use-now.ts'
import { useChannelAct } from '../data/use-channel-act.ts'
import { type ShownState, stateOf } from '../parts/state-of.ts'
import { channelWords } from '../words.ts'
import { tellStory } from './tell-story.ts'
import { oneWords as words } from './words.ts'

type Props = { channel: ChannelInUse; mayChange: boolean; onEnterToken: () => void }

/** The way of a message, what is wrong on it, whether anything is lost, and what can be done. */
export function Connection({ channel, mayChange, onEnterToken }: Props) {
  const now = useNow('second')
  const state = stateOf(channel, now)
  const { title, says } = tellStory(channel, state, now)
  const isBad = state === 'attention'
  return (
    <section
      className={classes('conn', isBad && 'bad', state !== 'working' && !isBad && 'held')}
      aria-label={words.connection}
    >
      <Way channel={channel} state={state} />
      <p aria-live="polite">
        <b className="strong">{title}</b> <span className="muted">{says}</span>
      </p>
      {mayChange && <Acts {...{ channel, state, onEnterToken }} />}
    </section>
  )
}

function Way({ channel, state }: { channel: ChannelInUse; state: ShownState }) {
  const isUpright = useMedia('(width < 1100px)')
  const isBack = useIsBack(state === 'working')
  const { kind, address, lastEventAt, use } = channel
  const wire =
    state === 'working' ? 'whole' : state === 'attention' ? 'cut-off' : state === 'connecting' ? 'loose' : 'held'
  return (
    <Path upright={isUpright}>
      <PathEnd
        tone={lastEventAt === null ? 'off' : 'ok'}
        name={words.people}
        says={lastEventAt === null ? words.nothingCame : <Last what={words.lastCame} at={lastEventAt} />}
      />
      <Wire state={lastEventAt === null ? 'loose' : 'whole'} />
      <PathEnd
        tone={state === 'attention' ? 'fail' : state === 'connecting' ? 'off' : 'ok'}
        name={words.provider(providerNames[kind], address)}
        says={<Theirs channel={channel} />}
      />
      <Wire state={wire} isDrawn={isBack}>
        <OnWire channel={channel} state={state} />
      </Wire>
      <PathEnd tone="ok" name={words.us} says={use.waiting === 0 ? words.nothingWaits : words.waits(use.waiting)} />
    </Path>
  )
}

/** What is known of the other end: that it took a reply, or of a chat that a page asked for it. */
function Theirs({ channel: { chat, use } }: { channel: ChannelInUse }) {
  if (chat) return chat.seen ? <Last what={words.lastSeen} at={chat.seen.at} /> : words.notSeen
  return use.lastOutAt === null ? words.neverTook : <Last what={words.lastTook} at={use.lastOutAt} />
}

function Last({ what, at }: { what: string; at: string }) {
  return (
    <>
      {what} <Time at={at} />
    </>
  )
}

/** What cuts the cable, or holds it. */
function OnWire({ channel: { attention }, state }: { channel: ChannelInUse; state: ShownState }) {
  const now = useNow('second')
  if (state === 'attention' && attention) {
    return (
      <Tag tone="fail">
        <Unplug className="i i-14" />
        {words.cutFor(words.cut[attention.reason], duration(now.getTime() - Date.parse(attention.since)))}
      </Tag>
    )
  }
  if (state === 'working' || state === 'attention') return null
  return (
    <Tag tone="wait">
      <Pause className="i i-14" />
      {words.onHold[state]}
    </Tag>
  )
}

function Acts({
  channel: { id, attention, paused },
  state,
  onEnterToken,
}: Omit<Props, 'mayChange'> & { state: ShownState }) {
  const { mutate, isPending, variables } = useChannelAct(id)
  if (state === 'held') {
    return (
      <div className="row wrap">
        <Button look="primary" busy={isPending && words.goingOn} onClick={() => mutate('resume')}>
          <Play className="i" />
          {words.goOn}
        </Button>
      </div>
    )
  }
  const needsToken = attention?.reason === 'credentials'
  if (!needsToken && !paused) return null
  return (
    <div className="row wrap">
      {needsToken && (
        <>
          <Button look="primary" onClick={onEnterToken}>
            <KeyRound className="i" />
            {words.enterToken}
          </Button>
          <Button
            look="quiet"
            busy={isPending && variables === 'check' && channelWords.checking}
            onClick={() => mutate('check')}
          >
            <Zap className="i" />
            {words.tryOld}
          </Button>
        </>
      )}
      {paused && (
        <Button
          look={needsToken ? 'outline' : 'primary'}
          busy={isPending && variables === 'resume' && words.resuming}
          onClick={() => mutate('resume')}
        >
          <Play className="i" />
          {words.resume}
        </Button>
      )}
    </div>
  )
}
