/** The words of every field that searches people and messages. */
export const searchWords = {
  typeMore: 'Type three letters of a word to search messages.',
} as const
