import { SettingsPage } from '../../settings/settings-page.tsx'
import { KindCards } from './kind-cards.tsx'
import { connectWords as words } from './words.ts'

export function Connect() {
  return (
    <SettingsPage title={words.title}>
      <div className="page">
        <KindCards />
      </div>
    </SettingsPage>
  )
}
