import { OperatorError } from '../operator-error.ts'

export function readInteger(name: string, text: string, range: { from: number; to: number }): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= range.from && value <= range.to) return value
  throw new OperatorError(`${name} must be a whole number from ${range.from} to ${range.to}; it is "${text}".`)
}
