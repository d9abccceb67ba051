import type {
  TArray,
  TArrayOptions,
  TBoolean,
  TInteger,
  TLiteral,
  TNumber,
  TNumberOptions,
  TObject,
  TObjectOptions,
  TOptional,
  TProperties,
  TSchema,
  TSchemaOptions,
  TString,
  TStringOptions,
  TUnsafe,
} from 'typebox'

/**
 * Makes JSON schemas that have TypeBox's types. Its own builders make the same, but they are 680 modules, which were a
 * third of the time that every process took to load (decision 33). `schema.test.ts` compares the two.
 */
export const Type = {
  Array: <Item extends TSchema>(items: Item, options?: TArrayOptions) =>
    ({ type: 'array', items, ...options }) as unknown as TArray<Item>,
  Boolean: (options?: TSchemaOptions) => ({ type: 'boolean', ...options }) as unknown as TBoolean,
  Integer: (options?: TNumberOptions) => ({ type: 'integer', ...options }) as unknown as TInteger,
  Literal: <Value extends string | number | boolean>(value: Value) =>
    ({ type: typeof value, const: value }) as unknown as TLiteral<Value>,
  Number: (options?: TNumberOptions) => ({ type: 'number', ...options }) as unknown as TNumber,
  Object: makeObject,
  Optional: makeOptional,
  Partial: <Properties extends TProperties>({ properties }: TObject<Properties>) => {
    const entries = Object.entries(properties).map(([name, schema]) => [name, makeOptional(schema)])
    return makeObject(Object.fromEntries(entries)) as TObject<{
      [Name in keyof Properties]: TOptional<Properties[Name]>
    }>
  },
  String: (options?: TStringOptions) => ({ type: 'string', ...options }) as unknown as TString,
  /** Any schema, with the type that the caller names. */
  Unsafe: <Value>(schema: TSchema) => ({ ...schema }) as unknown as TUnsafe<Value>,
}

/** Marks a property that an object may lack; not part of the JSON, as with TypeBox. */
const optional = '~optional'

function makeOptional<Schema extends TSchema>(schema: Schema): TOptional<Schema> {
  return Object.defineProperty({ ...schema }, optional, { value: true }) as TOptional<Schema>
}

function makeObject<Properties extends TProperties>(
  properties: Properties,
  options?: TObjectOptions,
): TObject<Properties> {
  const required = Object.keys(properties).filter((name) => !(optional in (properties[name] ?? {})))
  const fields = { type: 'object', ...(required.length > 0 && { required }), properties, ...options }
  return fields as unknown as TObject<Properties>
}
