import './styles/fonts.css'
import './styles/tokens.css'
import './styles/base.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { watchKeys } from './commands/keys.ts'
import { onSignedOut, watchOtherTabs } from './data/api.ts'
import { queryClient } from './data/queries.ts'
import { router } from './router.tsx'
import { whySignedOut } from './sign-in/why-signed-out.ts'

watchKeys()
watchOtherTabs()
onSignedOut((reason) => {
  whySignedOut.set(reason)
  if (router.state.location.pathname === '/sign-in') return
  const next = router.state.location.href
  // First away from the screens, then what they showed is forgotten: they must not fetch it again.
  void router.navigate({ to: '/sign-in', search: { next } }).then(() => queryClient.clear())
})

const root = document.getElementById('root')
if (!root) throw new Error('The page has no #root.')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
