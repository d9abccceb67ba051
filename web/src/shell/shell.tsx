import '../ui/page.css'
import { Outlet } from '@tanstack/react-router'
import { ToastRegion } from '../ui/toast-region.tsx'
import { shellWords } from '../words/shell.ts'
import { Banners } from './banners.tsx'
import { Rail, TabBar } from './rail.tsx'
import { useGlobalKeys } from './use-global-keys.ts'

/** What is around every screen of somebody who is signed in. */
export function Shell() {
  useGlobalKeys()
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
      </main>
      <TabBar />
    </div>
  )
}
