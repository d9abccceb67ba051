import { Ajv } from 'ajv'
import type { FastifySchemaValidationError } from 'fastify/types/schema.js'

const ajv = new Ajv({ allowUnionTypes: true })

/** The ways in which a value that is not a request breaks a schema; none: it fits. Checked as requests are. */
export function violationsOf(schema: object, value: unknown): FastifySchemaValidationError[] {
  const isValid = ajv.compile(schema) // compiled once for each schema object
  isValid(value)
  return (isValid.errors ?? []) as FastifySchemaValidationError[] // made by the library that checks requests
}
