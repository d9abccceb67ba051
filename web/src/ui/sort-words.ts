export const sortWords = {
  sortBy: (column: string) => `Sort by ${column.toLowerCase()}`,
  newestFirst: 'Newest first',
} as const
