/** Develop › Last calls. */
export const callsWords = {
  says: 'with a key of this account',
  table: 'Last calls',
  filter: 'Which calls',
  all: 'All',
  refused: 'Refused',
  live: 'Live',
  columns: { when: 'When', call: 'Call', answer: 'Answer', took: 'Took', request: 'Request' },
  note: 'The last 200; of a busy second only some, refused ones first. Bodies and keys are never kept; the request id is in the server’s log.',
  none: 'No call yet',
  noneSays: 'Calls of the API with your key appear here a second later, with what was wrong.',
  noneRefused: 'No refused call among the last ones.',
} as const
