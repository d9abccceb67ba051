/** The words of tags. */
export const tagWords = {
  tags: 'Tags',
  addTag: 'Add',
  addTagLong: 'Add a tag',
  noTags: 'No tags.',
  removeTag: (tag: string) => `Remove the tag ${tag}`,
} as const
