/** The id of the field to ask in. */
export const testQuestionId = 'test-chat-question'

/** Leads to the test chat where it is below the entries. */
export function showTestChat(): void {
  const field = document.getElementById(testQuestionId)
  field?.scrollIntoView({ block: 'center' })
  field?.focus({ preventScroll: true })
}
