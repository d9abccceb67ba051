/** How the simulated receiver behaves. */
export const behaviours = ['ok', 'error 503', 'gone 410', 'silent', 'hang up', 'busy 429'] as const
export type Behaviour = (typeof behaviours)[number]
