import Keyboard from 'lucide-react/icons/keyboard'
import Monitor from 'lucide-react/icons/monitor'
import Moon from 'lucide-react/icons/moon'
import Sun from 'lucide-react/icons/sun'
import { letterKeys } from '../commands/keys.ts'
import { useStore } from '../data/store.ts'
import { keysListOpen } from '../shell/use-global-commands.ts'
import { shellWords } from '../shell/words.ts'
import { Button } from '../ui/button.tsx'
import { Section } from '../ui/section.tsx'
import { Seg } from '../ui/seg.tsx'
import { Switch } from '../ui/switch.tsx'
import { theme } from '../ui/theme.ts'
import { appearanceWords as words } from './appearance-words.ts'
import { SettingsPage } from './settings-page.tsx'

export function AppearanceSettings() {
  return (
    <SettingsPage title={shellWords.appearance}>
      <div className="page narrow">
        <ThemeSection />
        <KeysSection />
      </div>
    </SettingsPage>
  )
}

const icons = { system: Monitor, light: Sun, dark: Moon }

function ThemeSection() {
  const chosen = useStore(theme)
  const options = (['system', 'light', 'dark'] as const).map((value) => {
    const Icon = icons[value]
    const label = (
      <>
        <Icon className="i i-14" />
        {words.themes[value]}
      </>
    )
    return { value, label }
  })
  return (
    <Section title={words.theme} says={words.themeSays}>
      <Seg label={words.theme} value={chosen} options={options} onChange={theme.set} />
    </Section>
  )
}

function KeysSection() {
  const isOn = useStore(letterKeys) === 'on'
  return (
    <Section title={words.keys} says={words.keysSays}>
      <Switch on={isOn} onChange={(on) => letterKeys.set(on ? 'on' : 'off')}>
        {words.letterKeys}
      </Switch>
      <div>
        <Button aria-haspopup="dialog" onClick={() => keysListOpen.set(true)}>
          <Keyboard className="i" />
          {words.showKeys}
        </Button>
      </div>
    </Section>
  )
}
