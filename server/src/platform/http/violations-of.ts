import type { FastifySchemaValidationError } from 'fastify/types/schema.js'
import { compileValidator } from './compile-schemas.ts'

/** The ways in which a value that is not a request breaks a schema; none: it fits. Checked as requests are. */
export function violationsOf(schema: object, value: unknown): FastifySchemaValidationError[] {
  const isValid = compileValidator(schema)
  isValid(value)
  return (isValid.errors ?? []) as FastifySchemaValidationError[] // made by the library that checks requests
}
