import type { PartOfRoute, ReplyOfRoute } from '../route.ts'
import { accountRoutes } from './account.ts'
import { agencyRoutes } from './agency.ts'
import { alertRoutes } from './alerts.ts'
import { auditRoutes } from './audit.ts'
import { broadcastRoutes } from './broadcasts.ts'
import { callRoutes } from './calls.ts'
import { campaignRoutes } from './campaigns.ts'
import { channelRoutes } from './channels.ts'
import { connectionRoutes } from './connections.ts'
import { contactRoutes } from './contacts.ts'
import { conversationRoutes } from './conversations.ts'
import { firstRunRoutes } from './first-run.ts'
import { importRoutes } from './imports.ts'
import { knowledgeRoutes } from './knowledge.ts'
import { listRoutes } from './lists.ts'
import { liveRoutes } from './live-routes.ts'
import { openApiRoutes } from './openapi.ts'
import { rechargeWebhookRoutes } from './recharge-webhook.ts'
import { reportRoutes } from './reports.ts'
import { retentionRoutes } from './retention.ts'
import { searchRoutes } from './search.ts'
import { sessionRoutes } from './session.ts'
import { simulatorRoutes } from './simulator.ts'
import { teamRoutes } from './team.ts'
import { teamworkRoutes } from './teamwork.ts'
import { webhookRoutes } from './webhook.ts'

/**
 * Every route of the app's own API, with its guard. The server checks requests and writes answers with these schemas, and
 * the app takes its types from them.
 */
export const appRoutes = {
  ...sessionRoutes,
  ...liveRoutes,
  ...accountRoutes,
  ...retentionRoutes,
  ...teamRoutes,
  ...auditRoutes,
  ...agencyRoutes,
  ...rechargeWebhookRoutes,
  ...conversationRoutes,
  ...teamworkRoutes,
  ...contactRoutes,
  ...importRoutes,
  ...listRoutes,
  ...broadcastRoutes,
  ...campaignRoutes,
  ...knowledgeRoutes,
  ...connectionRoutes,
  ...channelRoutes,
  ...webhookRoutes,
  ...alertRoutes,
  ...reportRoutes,
  ...searchRoutes,
  ...firstRunRoutes,
  ...simulatorRoutes,
  ...callRoutes,
  ...openApiRoutes,
} as const

export type AppRoutes = typeof appRoutes
export type AppRouteName = keyof AppRoutes

export type ReplyOf<Name extends AppRouteName> = ReplyOfRoute<AppRoutes[Name]>
export type PartOf<Name extends AppRouteName, Part extends 'params' | 'query' | 'body'> = PartOfRoute<
  AppRoutes[Name],
  Part
>
