import { Ajv, type AnySchema, type ErrorObject } from 'ajv'
import addFormats from 'ajv-formats'
import fastJsonStringify, { type AnySchema as AnyAnswerSchema } from 'fast-json-stringify'
import type { FastifyServerOptions } from 'fastify'

/** A value is checked as it is: never converted, completed or stripped of fields. */
const ajv = new Ajv({ allowUnionTypes: true })
addFormats.default(ajv)

const serializers = new WeakMap<object, Serializer>()

/** The validator of a schema, compiled once for each schema object, as serializers are. */
export const compileValidator = (schema: AnySchema) => ajv.compile(schema)

export function compileSerializer(schema: object): Serializer {
  return serializers.getOrInsertComputed(schema, () => fastJsonStringify(schema as AnyAnswerSchema))
}

/**
 * What Fastify calls for the schemas of every route. They are compiled at the first request that needs them: compiling
 * all took a tenth of the processor time of a start. The apps of one process share what is compiled.
 */
export const compileAtFirstUse = {
  buildValidator: () => (route: { schema: AnySchema }) => validatorOf(route.schema),
  buildSerializer: () => (route: { schema: object }) => (answer: unknown) => compileSerializer(route.schema)(answer),
} as unknown as Compilers // Fastify's type describes functions of a schema; it calls them with a route

type Compilers = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>

/** Fastify reads the errors from the function that found them. */
type Validator = { (value: unknown): boolean; errors?: ErrorObject[] | null }

function validatorOf(schema: AnySchema): Validator {
  const validate: Validator = (value) => {
    const compiled = compileValidator(schema)
    const isValid = compiled(value) as boolean // a promise only with an `$async` schema
    validate.errors = compiled.errors ?? null
    return isValid
  }
  return validate
}

/** Leaves out every field that the schema does not have. */
type Serializer = (answer: unknown) => string
