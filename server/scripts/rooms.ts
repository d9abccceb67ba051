/**
 * The order of the rooms of `server/src`. A group may import itself and groups above it; inside a group a room may import
 * rooms on lines above its own, never beside, never below. `imports.test.ts` holds every import against it.
 */
export const groups: { name: string; rooms: string[][] }[] = [
  {
    name: 'platform',
    rooms: [
      ['metrics', 'processes', 'jobs'],
      ['database', 'outbound', 'text'],
      ['config', 'embedded-postgres', 'group-commit', 'idempotency', 'notify'],
      ['database-setup', 'https-server', 'request-body', 'secrets'],
      ['http', 'backup'],
    ],
  },
  { name: 'outbox', rooms: [] },
  { name: 'business', rooms: [['audit'], ['accounts'], ['sessions'], ['team', 'credits', 'request-log']] },
  { name: 'people', rooms: [['contacts'], ['lists'], ['imports']] },
  { name: 'answers', rooms: [['model-providers'], ['campaigns'], ['knowledge'], ['engines']] },
  {
    name: 'journey',
    rooms: [
      ['channels'],
      ['media', 'messages'],
      ['conversations'],
      ['intake', 'bot', 'delivery'],
      ['broadcasts', 'provider-events'],
    ],
  },
  {
    name: 'app',
    rooms: [
      ['search', 'live', 'operations', 'page'],
      ['reports', 'alerts', 'first-run', 'agency'],
      ['inbox'],
      ['removal'],
      ['simulator', 'website-chat'],
    ],
  },
]
