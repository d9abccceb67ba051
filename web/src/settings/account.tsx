import { shellWords } from '../words/shell.ts'
import { SettingsPage } from './settings-page.tsx'

export function AccountSettings() {
  return <SettingsPage title={shellWords.account} />
}
