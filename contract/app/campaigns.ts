import type { Static } from 'typebox'
import { CampaignSettings, type CampaignStatus } from '../campaigns.ts'
import { limits } from '../limits.ts'
import { connectionKinds } from '../model-connections.ts'
import { Type } from '../schema.ts'
import { nullableText, requiredText } from '../text.ts'
import { Id, oneOf, orNull } from './fields.ts'
import { Channel } from './messages.ts'
import type { AppRoute } from './route.ts'

export const CampaignPath = Type.Object({ campaignId: Id })

const Status = Type.Unsafe<CampaignStatus>({ type: 'string', enum: ['draft', 'live', 'paused', 'archived'] })

const summary = {
  id: Type.String(),
  name: Type.String(),
  status: Status,
  isDefault: Type.Boolean(),
  engine: oneOf('builtin', 'openai-compatible', 'openai', 'anthropic'),
  /** The error that keeps its engine from answering. */
  trouble: nullableText({}),
  entries: Type.Integer(),
  /** How often something was asked that it could not answer. */
  unanswered: Type.Integer(),
}

export const CampaignSummary = Type.Object(summary)
export type CampaignSummary = Static<typeof CampaignSummary>
export const Campaigns = Type.Object({ campaigns: Type.Array(CampaignSummary) })

export const ShownCampaign = Type.Object({
  ...summary,
  /** Goes up with every change of the settings; a change names the one that it was made to. */
  version: Type.Integer(),
  settings: CampaignSettings,
  /** The connection to a provider of language models that it uses. */
  connection: orNull(
    Type.Object({ id: Type.String(), name: Type.String(), kind: oneOf(...connectionKinds), model: nullableText({}) }),
  ),
  /** Who says what an answer costs: nobody pays, this user may say it, or it is said by the agency. */
  price: oneOf('none', 'own', 'agency'),
  /** Those on which anybody has written so far, built-in ones that are connected, and those that it names. */
  channels: Type.Array(Channel),
})
export type ShownCampaign = Static<typeof ShownCampaign>

const changes = {
  status: Type.Optional(Status),
  isDefault: Type.Optional(Type.Boolean()),
  /** Sets the engine to its kind, and the model to the one of the connection; null: the built-in engine. */
  connectionId: Type.Optional(nullableText({ minLength: 1, maxLength: limits.idCharacters })),
  settings: Type.Optional(Type.Partial(CampaignSettings)),
}
const Name = requiredText(limits.nameCharacters, 'What people call it.')
export const NewCampaign = Type.Object({ ...changes, name: Name })
export const CampaignChange = Type.Object({
  ...changes,
  name: Type.Optional(Name),
  version: Type.Integer({ minimum: 1, description: 'The one that the change was made to.' }),
})
export type CampaignChange = Static<typeof CampaignChange>

export const campaignRoutes = {
  'GET /api/campaigns': { guard: 'member', summary: 'Campaigns', reply: Campaigns },
  'POST /api/campaigns': { guard: 'member', summary: 'Create a campaign', body: NewCampaign, reply: ShownCampaign },
  'GET /api/campaigns/:campaignId': {
    guard: 'member',
    summary: 'One campaign',
    params: CampaignPath,
    reply: ShownCampaign,
  },
  'PATCH /api/campaigns/:campaignId': {
    guard: 'member',
    summary: 'Change a campaign',
    params: CampaignPath,
    body: CampaignChange,
    reply: ShownCampaign,
  },
} as const satisfies Record<string, AppRoute>
