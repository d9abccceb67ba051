import { type ChannelKind, channelKinds } from '@patchbay/contract/channels.ts'
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { type Tab, tabs } from './campaigns/tab-names.ts'
import { ApiError } from './data/api.ts'
import { queryClient, read } from './data/queries.ts'
import type { Lane } from './first-run/steps.ts'
import { readSearch } from './inbox/filters.ts'
import { readReportSearch } from './reports/search.ts'
import { NotFound, ScreenError } from './shell/screen-error.tsx'
import { Shell } from './shell/shell.tsx'

/** What is in an address. What a route does not name as undefined stays as it was given: the router only adds. */
type RawSearch<Name extends string> = { [N in Name]?: unknown }

const root = createRootRoute({ notFoundComponent: NotFound })

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: readNext,
  component: lazyRouteComponent(() => import('./sign-in/sign-in.tsx'), 'SignIn'),
})

const join = createRoute({
  getParentRoute: () => root,
  path: '/join',
  component: lazyRouteComponent(() => import('./join/join.tsx'), 'Join'),
})

/** Everything that needs somebody signed in. */
const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell, beforeLoad: requireSession })

const screen = <Path extends string>(path: Path, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => shell, path, component })

/** One screen for the list and an open conversation: the list stays as it is while others are opened. */
const inbox = createRoute({
  getParentRoute: () => shell,
  path: '/inbox',
  validateSearch: readSearch,
  component: lazyRouteComponent(() => import('./inbox/inbox.tsx'), 'Inbox'),
})

type ContactSearch = {
  q?: string | undefined
  list?: string | undefined
  to?: string | undefined
  sort?: 'name' | undefined
}

/** The table stays while one contact, or the form for a new one, is open beside it. */
const contacts = createRoute({
  getParentRoute: () => shell,
  path: '/contacts',
  /** `to` is a list that contacts are chosen for. */
  validateSearch: ({ q, list, to, sort }: RawSearch<'q' | 'list' | 'to' | 'sort'>): ContactSearch => ({
    q: typeof q === 'string' && q !== '' ? q : undefined,
    list: typeof list === 'string' ? list : undefined,
    to: typeof to === 'string' ? to : undefined,
    sort: sort === 'name' ? sort : undefined,
  }),
  component: lazyRouteComponent(() => import('./contacts/contacts.tsx'), 'Contacts'),
})

const lists = createRoute({
  getParentRoute: () => shell,
  path: '/lists',
  component: lazyRouteComponent(() => import('./lists/lists.tsx'), 'Lists'),
})

/** The form for a new one is open when the address says to which list; an empty id: to none yet. */
/** To which list a new one is written, or which one is changed. */
type BroadcastSearch = { to?: string | undefined; change?: string | undefined }

const broadcasts = createRoute({
  getParentRoute: () => shell,
  path: '/broadcasts',
  validateSearch: ({ to, change }: RawSearch<'to' | 'change'>): BroadcastSearch => ({
    to: typeof to === 'string' ? to : undefined,
    change: typeof change === 'string' ? change : undefined,
  }),
  component: lazyRouteComponent(() => import('./broadcasts/broadcasts.tsx'), 'Broadcasts'),
})

const campaign = createRoute({
  getParentRoute: () => shell,
  path: '/campaigns/$campaignId',
  validateSearch: ({ tab }: RawSearch<'tab'>): { tab?: Tab | undefined } => ({ tab: tabs.find((one) => one === tab) }),
  component: lazyRouteComponent(() => import('./campaigns/campaign.tsx'), 'Campaign'),
})

const reports = createRoute({
  getParentRoute: () => shell,
  path: '/reports',
  validateSearch: readReportSearch,
  component: lazyRouteComponent(() => import('./reports/reports.tsx'), 'Reports'),
})

/** The table stays while one sub-account after the other is looked at. */
const agency = createRoute({
  getParentRoute: () => shell,
  path: '/agency',
  validateSearch: ({ id }: RawSearch<'id'>): { id?: string | undefined } => ({
    id: typeof id === 'string' ? id : undefined,
  }),
  component: lazyRouteComponent(() => import('./agency/agency.tsx'), 'Agency'),
})

type ConnectSearch = { kind?: ChannelKind | undefined; channel?: string | undefined }

/** `channel`: the one that is being connected, so that one can leave and come back. */
const connect = createRoute({
  getParentRoute: () => shell,
  path: '/channels/new',
  validateSearch: ({ kind, channel }: RawSearch<'kind' | 'channel'>): ConnectSearch => ({
    kind: channelKinds.find((one) => one === kind),
    channel: typeof channel === 'string' ? channel : undefined,
  }),
  component: lazyRouteComponent(() => import('./channels/connect/connect.tsx'), 'Connect'),
})

/** `channel`: which of several. */
const websiteChat = createRoute({
  getParentRoute: () => shell,
  path: '/settings/website-chat',
  validateSearch: ({ channel }: RawSearch<'channel'>): { channel?: string | undefined } => ({
    channel: typeof channel === 'string' ? channel : undefined,
  }),
  component: lazyRouteComponent(() => import('./settings/website-chat/website-chat-page.tsx'), 'WebsiteChat'),
})

const screens = [
  agency,
  reports,
  createRoute({ getParentRoute: () => shell, path: '/', beforeLoad: goHome }),
  inbox.addChildren([createRoute({ getParentRoute: () => inbox, path: '/$contactId' })]),
  contacts.addChildren([
    createRoute({
      getParentRoute: () => contacts,
      path: 'new',
      component: lazyRouteComponent(() => import('./contacts/new-contact.tsx'), 'NewContact'),
    }),
    createRoute({
      getParentRoute: () => contacts,
      path: 'import',
      component: lazyRouteComponent(() => import('./contacts/import/import-sheet.tsx'), 'ImportSheet'),
    }),
    createRoute({
      getParentRoute: () => contacts,
      path: '$contactId',
      component: lazyRouteComponent(() => import('./contacts/contact.tsx'), 'Contact'),
    }),
  ]),
  lists.addChildren([
    createRoute({
      getParentRoute: () => lists,
      path: '$listId',
      component: lazyRouteComponent(() => import('./lists/list.tsx'), 'List'),
    }),
  ]),
  broadcasts,
  screen(
    '/broadcasts/$broadcastId',
    lazyRouteComponent(() => import('./broadcasts/broadcast.tsx'), 'Broadcast'),
  ),
  screen(
    '/campaigns',
    lazyRouteComponent(() => import('./campaigns/campaigns.tsx'), 'Campaigns'),
  ),
  campaign,
  screen(
    '/channels',
    lazyRouteComponent(() => import('./channels/channels.tsx'), 'Channels'),
  ),
  connect,
  screen(
    '/channels/$channelId',
    lazyRouteComponent(() => import('./channels/one/channel-page.tsx'), 'ChannelPage'),
  ),
  screen(
    '/settings/account',
    lazyRouteComponent(() => import('./settings/account/account-page.tsx'), 'AccountSettings'),
  ),
  websiteChat,
  screen(
    '/settings/webhook',
    lazyRouteComponent(() => import('./settings/webhook/webhook-page.tsx'), 'WebhookSettings'),
  ),
  screen(
    '/settings/alerts',
    lazyRouteComponent(() => import('./settings/alerts/alerts-page.tsx'), 'AlertSettings'),
  ),
  screen(
    '/settings/ai',
    lazyRouteComponent(() => import('./settings/ai/ai-page.tsx'), 'AiSettings'),
  ),
  screen(
    '/settings/team',
    lazyRouteComponent(() => import('./settings/team/team-page.tsx'), 'TeamSettings'),
  ),
  screen(
    '/settings/audit',
    lazyRouteComponent(() => import('./settings/audit/audit-page.tsx'), 'AuditSettings'),
  ),
  screen(
    '/agency/recharge',
    lazyRouteComponent(() => import('./agency/recharge-page.tsx'), 'RechargeWebhook'),
  ),
  screen(
    '/settings/credits',
    lazyRouteComponent(() => import('./settings/credits/credits-page.tsx'), 'CreditSettings'),
  ),
  screen(
    '/settings/appearance',
    lazyRouteComponent(() => import('./settings/appearance.tsx'), 'AppearanceSettings'),
  ),
  screen(
    '/develop/simulator',
    lazyRouteComponent(() => import('./develop/simulator/simulator.tsx'), 'Simulator'),
  ),
  createRoute({ getParentRoute: () => shell, path: '/develop', beforeLoad: () => goTo('/develop/simulator') }),
  createRoute({ getParentRoute: () => shell, path: '/settings', beforeLoad: () => goTo('/settings/account') }),
  createRoute({
    getParentRoute: () => shell,
    path: '/develop/reference',
    validateSearch: ({ at }: RawSearch<'at'>): { at?: string | undefined } => ({
      at: typeof at === 'string' ? at : undefined,
    }),
    component: lazyRouteComponent(() => import('./develop/reference/reference.tsx'), 'Reference'),
  }),
  screen(
    '/develop/calls',
    lazyRouteComponent(() => import('./develop/calls/calls.tsx'), 'LastCalls'),
  ),
  createRoute({
    getParentRoute: () => shell,
    path: '/first-run',
    validateSearch: ({ lane }: RawSearch<'lane'>): { lane?: Lane | undefined } => ({
      lane: lane === 'own' || lane === 'built-in' ? lane : undefined,
    }),
    component: lazyRouteComponent(() => import('./first-run/first-run.tsx'), 'FirstRun'),
  }),
] as const

export const router = createRouter({
  routeTree: root.addChildren([signIn, join, shell.addChildren(screens)]),
  defaultErrorComponent: ScreenError,
  defaultPreload: 'intent',
  defaultPendingMs: 150,
  // The inbox keeps the places of its panes itself: the router would put its list back after every conversation that opens.
  scrollRestoration: ({ location }) => !location.pathname.startsWith('/inbox'),
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

async function requireSession({ location }: { location: { href: string } }): Promise<void> {
  try {
    await queryClient.ensureQueryData({ ...read('GET /api/session'), retry: false })
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error
    throw redirect({ to: '/sign-in', search: { next: location.href } })
  }
}

/** A part of the app that has no page of its own begins with its first one. */
function goTo(to: '/develop/simulator' | '/settings/account'): never {
  throw redirect({ to, replace: true })
}

/** Home is the list of first steps while some are open and the user has not hidden it; then the inbox. */
async function goHome(): Promise<void> {
  const steps = await queryClient.ensureQueryData(read('GET /api/first-run')).catch(() => undefined)
  const { areDone, lanes } = await import('./first-run/steps.ts')
  const isPast = !steps || steps.isHidden || lanes.some((lane) => areDone(steps, lane))
  throw redirect({ to: isPast ? '/inbox' : '/first-run' })
}

/** Where to go after signing in: only a path of this app, never another address. */
function readNext({ next }: RawSearch<'next'>): { next?: string | undefined } {
  return { next: typeof next === 'string' && /^\/(?![/\\])/.test(next) ? next : undefined }
}
