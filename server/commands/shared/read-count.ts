import { OperatorError } from '../../src/platform/operator-error.ts'

export function readCount(name: string, text: string, largest: number): number {
  const count = Number(text)
  if (/^\d+$/.test(text) && count >= 1 && count <= largest) return count
  throw new OperatorError(`--${name} must be a whole number from 1 to ${largest}; it is "${text}".`)
}
