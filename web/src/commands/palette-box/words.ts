/** The words of the command palette. */
export const paletteWords = {
  title: 'Search and commands',
  people: 'People',
  lists: 'Lists',
  messages: 'Messages',
  allPeople: (q: string) => `All contacts with “${q}”`,
  allLists: 'All lists',
  allMessages: (q: string) => `All messages with “${q}”, in the inbox`,
  nothing: 'Nothing matches. People, lists, words of messages and commands are searched.',
  move: 'move',
  doIt: 'do it',
} as const
