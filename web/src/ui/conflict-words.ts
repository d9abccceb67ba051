/** Somebody else was faster. */
export const conflictWords = {
  conflict: 'Somebody else has changed this meanwhile.',
  conflictSays: 'Nothing of yours was saved, and nothing is lost. They changed:',
  conflictOther: 'They changed what you have not touched.',
  conflictLine: (field: string, value: string) => `${field}: ${value}`,
  loadTheirs: 'Load theirs',
  keepMine: 'Keep mine',
  nothing: 'nothing',
} as const
