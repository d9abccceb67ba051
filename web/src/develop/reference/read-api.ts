/** The parts of the OpenAPI document that the reference shows. */
type Schema = {
  type?: string | string[]
  maxLength?: number
  description?: string
  required?: string[]
  properties?: Record<string, Schema>
}
type Content = { 'application/json'?: { schema?: Schema; example?: unknown } }
type Parameter = {
  name?: string
  in?: string
  required?: boolean
  description?: string
  schema?: Schema
  $ref?: string
}
type OperationObject = {
  operationId: string
  summary: string
  description?: string
  tags?: string[]
  parameters?: Parameter[]
  requestBody?: { content: Content }
  responses: Record<string, { description: string; content?: Content }>
}
export type ApiDocument = {
  servers: { url: string }[]
  paths: Record<string, Record<string, OperationObject>>
  components: { parameters: Record<string, Parameter> }
}

export type ApiField = { name: string; isRequired: boolean; type: string; says: string }
export type Operation = {
  id: string
  method: string
  path: string
  tag: string
  summary: string
  description: string
  groups: { title: string; fields: ApiField[] }[]
  example: unknown
  answer: unknown
  refusals: { status: string; says: string }[]
}

/** Every operation of the public API, in the order of the document. */
export function readOperations({ paths, components }: ApiDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => {
      const { operationId: id, summary, description = '', tags, requestBody, responses } = described
      const body = requestBody?.content['application/json']
      const done = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
      return {
        id,
        method: method.toUpperCase(),
        path,
        tag: tags?.[0] ?? '',
        summary,
        description,
        groups: [...parameterGroups(described, components), ...bodyGroups(body?.schema)],
        example: body?.example,
        answer: done?.content?.['application/json']?.example,
        refusals: Object.entries(responses)
          .filter(([status]) => status >= '400')
          .map(([status, refusal]) => ({ status, says: refusal.description })),
      }
    }),
  )
}

function parameterGroups(
  { parameters = [] }: OperationObject,
  components: ApiDocument['components'],
): Operation['groups'] {
  const all = parameters.map((given) => components.parameters[given.$ref?.split('/').at(-1) ?? ''] ?? given)
  return ['path', 'query', 'header'].flatMap((place) => {
    const fields = all
      .filter((parameter) => parameter.in === place)
      .map(({ name = '', required = false, schema = {}, description = '' }) => {
        return { name, isRequired: required, type: typeOf(schema), says: description }
      })
    return fields.length === 0 ? [] : [{ title: place, fields }]
  })
}

/** The objects inside a body have a group of their own, before its other fields. */
function bodyGroups(schema: Schema | undefined, title = 'body'): Operation['groups'] {
  const properties = Object.entries(schema?.properties ?? {})
  const inner = properties.flatMap(([name, field]) => (field.properties ? bodyGroups(field, name) : []))
  const fields = properties
    .filter(([, field]) => !field.properties)
    .map(([name, field]) => {
      const isRequired = schema?.required?.includes(name) ?? false
      return { name, isRequired, type: typeOf(field), says: field.description ?? '' }
    })
  return [...inner, ...(fields.length === 0 ? [] : [{ title, fields }])]
}

function typeOf({ type = 'string', maxLength }: Schema): string {
  const names = [type].flat().map((name) => (name === 'string' ? 'text' : name))
  return maxLength === undefined ? names.join(' or ') : `${names.join(' or ')}, up to ${maxLength}`
}
