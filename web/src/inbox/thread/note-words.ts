/** The words of what can be done with a note once it is kept. */
export const noteWords = {
  delete: 'Delete',
  deleteNote: 'Delete this note',
  deleteIt: 'Delete it for everybody',
  keep: 'Keep',
  deleted: 'The note is deleted.',
} as const
