import WifiOff from 'lucide-react/icons/wifi-off'
import { buildOfServer } from '../api.ts'
import { connection } from '../live.ts'
import { useStore } from '../store.ts'
import { Banner } from '../ui/banner.tsx'
import { Button } from '../ui/button.tsx'
import { shellWords as words } from '../words/shell.ts'

/** States of the whole app: no connection, a newer version on the server. */
export function Banners() {
  return (
    <>
      <Offline />
      <Outdated />
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

/** The build that this page is from; none under `npm run dev`. */
const ownBuild = document.querySelector<HTMLMetaElement>('meta[name="build"]')?.content

function Outdated() {
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
