import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type as Ours } from '@patchbay/contract/schema.ts'
import { Type as TypeBox } from 'typebox'

/** The same schema by either builder. */
function build(type: typeof Ours) {
  const name = type.String({ minLength: 1, description: 'A name.' })
  const person = type.Object(
    {
      name,
      age: type.Optional(type.Integer({ minimum: 0 })),
      tags: type.Array(type.String(), { maxItems: 3 }),
      isOpen: type.Boolean({ default: false }),
      share: type.Number({ maximum: 1 }),
      kind: type.Literal('person'),
      note: type.Optional(type.Unsafe<string | null>({ type: ['string', 'null'] })),
    },
    { additionalProperties: false },
  )
  return { person, partly: type.Partial(person), nested: type.Object({ person, empty: type.Object({}) }), name }
}

test('our builders make the JSON schemas that those of TypeBox make, in the same order', () => {
  const [ours, theirs] = [build(Ours), build(TypeBox as unknown as typeof Ours)] // the same functions, with more options
  assert.equal(JSON.stringify(ours, null, 1), JSON.stringify(theirs, null, 1))
})

test('what is optional in one object stays required in another', () => {
  const name = Ours.String()
  const asOptional = Ours.Object({ name: Ours.Optional(name) })
  const asRequired = Ours.Object({ name })
  assert.equal('required' in asOptional, false)
  assert.deepEqual(asRequired.required, ['name'])
})
