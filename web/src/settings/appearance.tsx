import { shellWords } from '../words/shell.ts'
import { SettingsPage } from './settings-page.tsx'

export function AppearanceSettings() {
  return <SettingsPage title={shellWords.appearance} />
}
