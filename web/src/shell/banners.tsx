import { useMutation, useQuery } from '@tanstack/react-query'
import Building2 from 'lucide-react/icons/building-2'
import WifiOff from 'lucide-react/icons/wifi-off'
import { lazy, Suspense } from 'react'
import { buildOfServer, call } from '../data/api.ts'
import { connection } from '../data/live.ts'
import { read } from '../data/queries.ts'
import { useStore } from '../data/store.ts'
import { Banner } from '../ui/banner.tsx'
import { Button } from '../ui/button.tsx'
import { visitWords } from './visit-words.ts'
import { shellWords as words } from './words.ts'

const AgencyLinkNotice = lazy(() =>
  import('./agency-link.tsx').then(({ AgencyLinkNotice }) => ({ default: AgencyLinkNotice })),
)

const HeldCopyNotice = lazy(() => import('./held-copy.tsx').then(({ HeldCopyNotice }) => ({ default: HeldCopyNotice })))

/** States of the whole app: a restored copy that is held, no connection, a newer version on the server, a visit as the agency, what it did. */
export function Banners() {
  return (
    <>
      <Visiting />
      <AgencyLink />
      <HeldCopy />
      <Offline />
      <OutdatedBanner />
    </>
  )
}

function Offline() {
  const now = useStore(connection)
  if (now.state === 'connected') return null
  const since = now.since.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })
  return (
    <Banner>
      <WifiOff className="i" />
      <span>{words.offline(since)}</span>
    </Banner>
  )
}

/** The app of a sub-account, opened by its agency. */
function Visiting() {
  const { data: me } = useQuery(read('GET /api/session'))
  const leave = useMutation({
    mutationFn: () => call('DELETE /api/session/visit'),
    // Back to where the visit began, and nothing of the sub-account stays in this page.
    onSuccess: () => location.assign(`/agency?id=${encodeURIComponent(me?.account.id ?? '')}`),
  })
  if (!me?.visiting) return null
  return (
    <Banner tone="accent">
      <Building2 className="i" />
      <span>{visitWords.visiting(me.account.name)}</span>
      <Button size="sm" className="end" busy={leave.isPending && visitWords.leaving} onClick={() => leave.mutate()}>
        {visitWords.leave}
      </Button>
    </Banner>
  )
}

function AgencyLink() {
  const { data: me } = useQuery(read('GET /api/session'))
  if (!me?.agencyLink) return null
  return (
    <Suspense>
      <AgencyLinkNotice {...me.agencyLink} />
    </Suspense>
  )
}

function HeldCopy() {
  const { data: counts } = useQuery(read('GET /api/counts'))
  const held = counts?.channelsInNeed.filter(({ isHeld }) => isHeld).length ?? 0
  if (held === 0) return null
  return (
    <Suspense>
      <HeldCopyNotice count={held} />
    </Suspense>
  )
}

/** The build that this page is from; none under `npm run dev`. */
const ownBuild = document.querySelector<HTMLMetaElement>('meta[name="build"]')?.content

function OutdatedBanner() {
  const build = useStore(buildOfServer)
  if (!ownBuild || !build || build === ownBuild) return null
  return (
    <Banner tone="accent">
      <span>{words.newVersion}</span>
      <Button size="sm" className="end" onClick={() => location.reload()}>
        {words.reload}
      </Button>
    </Banner>
  )
}
