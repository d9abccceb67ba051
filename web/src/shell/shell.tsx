import '../ui/page.css'
import { Outlet } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { paletteOpen } from '../commands/palette.ts'
import { useStore } from '../data/store.ts'
import { ToastRegion } from '../ui/toast-region.tsx'
import { Banners } from './banners.tsx'
import { KeysList } from './keys-list.tsx'
import { Rail, TabBar } from './rail.tsx'
import { keysListOpen, useGlobalCommands } from './use-global-commands.ts'
import { useLive } from './use-live.ts'
import { useNotices } from './use-notices.ts'
import { shellWords } from './words.ts'

const PaletteBox = lazy(() =>
  import('../commands/palette-box/palette-box.tsx').then(({ PaletteBox }) => ({ default: PaletteBox })),
)

/** What is around every screen of somebody who is signed in. */
export function Shell() {
  useGlobalCommands()
  useLive()
  useNotices()
  const isKeysListOpen = useStore(keysListOpen)
  const isPaletteOpen = useStore(paletteOpen)
  return (
    <div className="app">
      <a className="skip" href="#main">
        {shellWords.skip}
      </a>
      <Rail />
      <main className="main" id="main" tabIndex={-1}>
        <Banners />
        <Outlet />
        <ToastRegion />
        {isKeysListOpen && <KeysList />}
        {isPaletteOpen && (
          <Suspense>
            <PaletteBox />
          </Suspense>
        )}
      </main>
      <TabBar />
    </div>
  )
}
