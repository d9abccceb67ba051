import { SettingsPage } from '../../settings/settings-page.tsx'
import { channelWords as words } from '../words.ts'

export function Connect() {
  return <SettingsPage title={words.channels} />
}
