import type { Shell, StartPanel } from '../shell.ts'

/** The event by which the panel's script hands its one function over, on its own element: nothing of it is in the page. */
export const panelEvent = 'patchbay-panel'

type Policies = { createPolicy: (name: string, rules: { createScriptURL: (url: string) => string }) => ScriptUrls }
type ScriptUrls = { createScriptURL: (url: string) => string }

/** Fetches the panel by a script element with the nonce of our own tag, which every policy that lets the loader run lets run. */
function loadPanel(url: string, nonce: string): Promise<StartPanel> {
  return new Promise((done, fail) => {
    const script = document.createElement('script')
    script.async = true
    script.nonce = nonce
    script.src = trusted(url)
    script.addEventListener(panelEvent, ({ detail }: CustomEventInit<StartPanel>) => detail && done(detail))
    script.addEventListener('error', () => {
      script.remove()
      fail(new Error('no panel'))
    })
    script.addEventListener('load', () => script.remove())
    document.head.append(script)
  })
}

/** For pages with `require-trusted-types-for 'script'`. A page without it needs no policy of ours. */
function trusted(url: string): string {
  const types = (window as unknown as { trustedTypes?: Policies }).trustedTypes
  if (!types) return url
  try {
    policy = policy || types.createPolicy('patchbay-chat', { createScriptURL: (given) => given })
    return policy.createScriptURL(url)
  } catch {
    return url
  }
}
let policy: ScriptUrls | undefined

/** Loaded once; what fails is tried again by the next opening. */
export function openPanelLoader(shell: Shell, url: string, nonce: string) {
  let loading: Promise<ReturnType<StartPanel>> | undefined
  return () => {
    loading = loading || loadPanel(url, nonce).then((start) => start(shell))
    loading.catch(() => {
      loading = undefined
    })
    return loading
  }
}
