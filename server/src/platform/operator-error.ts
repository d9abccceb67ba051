/**
 * Something the person at the keyboard can mend: a setting, a file, a taken port.
 * Its message is one sentence that says what is wrong and what to do; it is printed
 * as it is, without a stack, and the process exits with 1.
 */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}
