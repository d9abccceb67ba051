export const keyWords = {
  title: 'Keys',
  off: 'Single letters are switched off.',
  nextPane: 'Next part of the page',
  thisPage: 'This page',
  undo: 'Undo what the message names',
  everywhere: 'Everywhere',
  goTo: 'Go to',
  go: (place: string) => `Go to ${place}`,
  commands: 'Commands',
  palette: 'Search and commands',
  allKeys: 'All keys',
} as const
