import { alertConditions } from '@patchbay/contract/alerts.ts'
import Bell from 'lucide-react/icons/bell'
import BellOff from 'lucide-react/icons/bell-off'
import { useState } from 'react'
import { useStore } from '../../data/store.ts'
import { notices } from '../../notices/notice-switch.ts'
import { quiet, setQuiet } from '../../notices/quiet.ts'
import { Button } from '../../ui/button.tsx'
import { Note } from '../../ui/note.tsx'
import { Section } from '../../ui/section.tsx'
import { Switch } from '../../ui/switch.tsx'
import { usePermission } from './use-permission.ts'
import { alertWords as words } from './words.ts'

/** Notifications of the system, in this browser alone. */
export function BrowserSection({ hasCredits }: { hasCredits: boolean }) {
  const { permission, ask } = usePermission()
  return (
    <Section title={words.browser} says={words.browserSays}>
      {permission === 'default' && <Ask ask={ask} />}
      {permission === 'granted' && <Choices hasCredits={hasCredits} />}
      {permission === 'denied' && (
        <Note icon={BellOff} tone="wait">
          <b className="strong">{words.blocked}</b> <span className="muted">{words.blockedHint}</span>
        </Note>
      )}
      {permission === 'unsupported' && (
        <Note icon={BellOff}>
          <b className="strong">{words.unsupported}</b> <span className="muted">{words.unsupportedHint}</span>
        </Note>
      )}
    </Section>
  )
}

function Ask({ ask }: { ask: () => Promise<void> }) {
  const [isAsking, setAsking] = useState(false)
  const start = () => {
    setAsking(true)
    void ask().finally(() => setAsking(false))
  }
  return (
    <div className="stack stack-3">
      <p className="muted">{words.notAsked}</p>
      <div>
        <Button look="primary" busy={isAsking && words.asking} onClick={start}>
          <Bell className="i" />
          {words.ask}
        </Button>
      </div>
    </div>
  )
}

function Choices({ hasCredits }: { hasCredits: boolean }) {
  const isOn = useStore(notices) === 'on'
  const isQuiet = useStore(quiet)
  const shown = alertConditions.filter((condition) => condition !== 'credits' || hasCredits)
  return (
    <div className="stack stack-4">
      <div className="stack">
        <Switch on={isOn} onChange={(on) => notices.set(on ? 'on' : 'off')}>
          {words.on}
        </Switch>
        <span className="hint">{words.allowed}</span>
      </div>
      {isOn && (
        <fieldset className="alert-choices">
          <legend className="label">{words.which}</legend>
          {shown.map((condition) => (
            <Switch
              key={condition}
              on={!isQuiet.includes(condition)}
              onChange={(isWanted) => setQuiet(condition, !isWanted)}
            >
              {words.conditions[condition]}
            </Switch>
          ))}
        </fieldset>
      )}
    </div>
  )
}
