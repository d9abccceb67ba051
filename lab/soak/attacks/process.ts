import { serve } from '../child.ts'
import type { Attack, AttackOrder, Counts } from './attack.ts'

const attacks: Record<string, () => Promise<Attack>> = {
  'wrong-keys': async () => (await import('./pipelines.ts')).wrongKeys,
  'random-cookies': async () => (await import('./pipelines.ts')).randomCookies,
  'random-links': async () => (await import('./pipelines.ts')).randomLinks,
  'random-sign-ins': async () => (await import('./pipelines.ts')).randomSignIns,
  strangers: async () => (await import('./strangers/strangers.ts')).strangers,
  'strangers-let-in': async () => (await import('./strangers/strangers.ts')).strangersLetIn,
  'held-streams': async () => (await import('./strangers/strangers.ts')).heldStreams,
  'strangers-at-once': async () => (await import('./strangers/strangers.ts')).strangersAtOnce,
  readyz: async () => (await import('./pipelines.ts')).readyz,
  healthz: async () => (await import('./pipelines.ts')).healthz,
  pipelined: async () => (await import('./pipelines.ts')).withKey,
  'locked-rows': async () => (await import('./held-rows.ts')).lockedRows,
  'held-contact': async () => (await import('./held-rows.ts')).heldContact,
  'knowledge-import': async () => (await import('./knowledge-import.ts')).knowledgeImport,
  'wide-file': async () => (await import('./wide-file.ts')).wideFile,
  receivers: async () => (await import('./hanging.ts')).hangingReceivers,
  models: async () => (await import('./hanging.ts')).hangingModels,
  'open-bodies': async () => (await import('./bodies.ts')).openBodies,
  'slow-uploads': async () => (await import('./bodies.ts')).slowUploads,
  'upload-flood': async () => (await import('./bodies.ts')).uploadFlood,
  'memory-limit': async () => (await import('./mixed.ts')).mixed,
  growth: async () => (await import('./growth.ts')).growth,
  retention: async () => (await import('./retention.ts')).retention,
}

serve<AttackOrder, null, null, Counts>(async (order) => {
  const load = attacks[order.name]
  if (!load) throw new Error(`there is no attack ${order.name}`)
  const started = new AsyncDisposableStack()
  const attack = await load()
  const run = await attack(order, started)
  return {
    ready: null,
    run: async (_more, stopping) => {
      const counts = await run(stopping)
      await started.disposeAsync()
      return counts
    },
  }
})
