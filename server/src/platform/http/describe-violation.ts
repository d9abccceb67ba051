import type { FastifySchemaValidationError } from 'fastify/types/schema.js'
import { compileValidator } from './compile-schemas.ts'

/** Describes the first violation of the schema in a sentence that names the field and says what to do. */
export function describeViolation(violations: FastifySchemaValidationError[], part: string): Error {
  const [violation] = violations
  if (!violation) return new Error('The request is not valid.')
  return new Error(sentence(violation, part))
}

function sentence({ keyword, instancePath, params, message }: FastifySchemaValidationError, part: string): string {
  const field = instancePath.slice(1).replaceAll('/', '.')
  const name = field || (part === 'body' ? 'The body' : 'The query')
  switch (keyword) {
    case 'required':
      return `${field ? `${field}.` : ''}${params.missingProperty} is required.`
    case 'type':
      return field === '' ? `${name} must be a JSON object.` : `${name} must be ${typeName(params.type)}.`
    case 'maxLength':
      return `${name} must have at most ${params.limit} characters.`
    case 'minLength':
      return `${name} must not be empty.`
    case 'pattern':
      // The patterns of text fields, with `\S`, require a visible character; any other pattern requires a format.
      return /\\s/i.test(String(params.pattern)) ? `${name} must not be empty.` : `${name} has not the right form.`
    case 'additionalProperties':
      return `${field ? `${field}.` : ''}${params.additionalProperty} is not a field that is known here; leave it out.`
    case 'enum':
      return `${name} must be one of: ${params.allowedValues}.`
    default:
      return `${name} ${message ?? 'is not valid'}.`
  }
}

/** `null` is accepted for a field that is left out, so the sentence does not name it. */
function typeName(type: unknown): string {
  const [first] = String(type)
    .split(',')
    .filter((name) => name !== 'null')
  return first === 'object' || first === 'array' ? `an ${first}` : `a ${first === 'integer' ? 'whole number' : first}`
}

/** The ways in which a value that is not a request breaks a schema; none: it fits. Checked as requests are. */
export function violationsOf(schema: object, value: unknown): FastifySchemaValidationError[] {
  const isValid = compileValidator(schema)
  isValid(value)
  return (isValid.errors ?? []) as FastifySchemaValidationError[] // made by the library that checks requests
}
