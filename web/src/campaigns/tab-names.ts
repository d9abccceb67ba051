export const tabs = ['knowledge', 'unanswered', 'settings', 'texts'] as const
export type Tab = (typeof tabs)[number]
