import '../../ui/surface.css'
import '../webhook/webhook.css'
import './alerts.css'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../data/queries.ts'
import { shellWords } from '../../shell/words.ts'
import { Section } from '../../ui/section.tsx'
import { SettingsPage } from '../settings-page.tsx'
import { AddressSection } from './address-section.tsx'
import { AlertLog } from './alert-log.tsx'
import { BrowserSection } from './browser-section.tsx'
import { ChoiceSection } from './choice-section.tsx'
import { alertWords as words } from './words.ts'

/** Settings › Alerts: who is told, of what, and what came of it. */
export function AlertSettings() {
  const { data: me } = useQuery(read('GET /api/session'))
  const hasCredits = me?.account.kind === 'subaccount' && me.user.isOwner
  return (
    <SettingsPage title={shellWords.alerts}>
      <div className="page narrow">
        <BrowserSection hasCredits={hasCredits} />
        {me?.user.isOwner ? (
          <>
            <AddressSection />
            <ChoiceSection hasCredits={hasCredits} />
            <AlertLog />
          </>
        ) : (
          <Section title={words.address} says={words.addressSays}>
            <p className="muted">{words.ownerOnly}</p>
          </Section>
        )}
      </div>
    </SettingsPage>
  )
}
