import './account.css'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../data/queries.ts'
import { useMay } from '../../data/use-may.ts'
import { shellWords } from '../../shell/words.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { Section } from '../../ui/section.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { SettingsPage } from '../settings-page.tsx'
import { BotSwitch } from './bot-switch.tsx'
import { KeySection } from './key-section.tsx'
import { PasswordForm } from './password-form.tsx'
import { ProfileForm } from './profile-form.tsx'
import { RetentionSection } from './retention-section.tsx'
import { Sessions } from './sessions.tsx'
import { TimeZoneSection } from './time-zone-section.tsx'
import { accountWords as words } from './words.ts'

/** Settings › Account: the key, the limit, who you are, and who is signed in. */
export function AccountSettings() {
  const account = useQuery(read('GET /api/account'))
  const session = useQuery(read('GET /api/session'))
  const { ownAtHome } = useMay()
  const isReady = account.data && session.data
  return (
    <SettingsPage title={shellWords.account}>
      <div className="page narrow">
        {isReady ? (
          <>
            <KeySection madeAt={account.data.key?.createdAt ?? null} isOwner={ownAtHome} />
            <Section title={words.rateLimit} says={words.rateLimitSays}>
              <RateLimit perMinute={account.data.rateLimitPerMinute} />
            </Section>
            <BotSwitch isOn={account.data.botActive} isOwner={session.data.user.isOwner} />
            {!session.data.visiting && (
              <ProfileForm
                account={account.data}
                accountId={session.data.account.id}
                isOwner={session.data.user.isOwner}
              />
            )}
            <TimeZoneSection timeZone={account.data.timeZone} isOwner={session.data.user.isOwner} />
            {ownAtHome && <RetentionSection />}
            {!session.data.visiting && <PasswordForm />}
            <Sessions others={account.data.otherSessions} isVisiting={session.data.visiting !== null} />
            <p className="muted">{words.version(session.data.version)}</p>
          </>
        ) : account.error ? (
          <ErrorState error={account.error} retry={() => void account.refetch()} />
        ) : (
          <AccountLoading />
        )}
      </div>
    </SettingsPage>
  )
}

/** The rate limit. How much of it was used is not kept. */
function RateLimit({ perMinute }: { perMinute: number }) {
  if (perMinute === 0) return <p>{words.noLimit}</p>
  return (
    <p>
      <b className="mono">{perMinute.toLocaleString()}</b> {words.perMinute}.{' '}
      <span className="muted">
        {words.overLimit} <span className="mono">{words.tooMany}</span>.
      </span>
    </p>
  )
}

function AccountLoading() {
  return (
    <Loading>
      {[96, 40, 160].map((height) => (
        <div className="section" key={height}>
          <Skeleton width={120} height={18} />
          <Skeleton width="100%" height={height} />
        </div>
      ))}
    </Loading>
  )
}
