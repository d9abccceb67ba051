import { shellWords } from '../words/shell.ts'
import { SettingsPage } from './settings-page.tsx'

export function WebhookSettings() {
  return <SettingsPage title={shellWords.webhook} />
}
