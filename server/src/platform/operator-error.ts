/**
 * An error that the operator can fix: a setting, a file, a port in use. Its message is one sentence that says what is
 * wrong and what to do; it is printed without a stack trace, and the process exits with 1.
 */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}
