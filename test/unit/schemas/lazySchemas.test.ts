import { expect, it } from 'vitest'
import { z as zod } from 'zod'
import * as z from '#shared/schemas/lazySchemas.ts'

const lazy = () => {
  const name = z.string().trim().min(1, 'must not be empty').max(5)
  const point = z.strictObject({ x: z.number(), y: z.number().nullable().default(null) })
  return z.strictObject({
    name,
    kind: z.enum(['a', 'b']).default('a'),
    points: z.array(point).max(2).optional(),
    either: z.discriminatedUnion('way', [
      z.strictObject({ way: z.literal('one'), at: z.iso.date() }),
      z.strictObject({ way: z.literal('two'), ids: z.record(z.string(), z.int()) }),
    ]),
  })
}
const eager = () => {
  const name = zod.string().trim().min(1, 'must not be empty').max(5)
  const point = zod.strictObject({ x: zod.number(), y: zod.number().nullable().default(null) })
  return zod.strictObject({
    name,
    kind: zod.enum(['a', 'b']).default('a'),
    points: zod.array(point).max(2).optional(),
    either: zod.discriminatedUnion('way', [
      zod.strictObject({ way: zod.literal('one'), at: zod.iso.date() }),
      zod.strictObject({ way: zod.literal('two'), ids: zod.record(zod.string(), zod.int()) }),
    ]),
  })
}

it('reads and refuses what the schemas of zod do, in the same words', () => {
  const either = { way: 'one', at: '2026-01-01' }
  const inputs = [
    { name: ' abc ', either },
    { name: 'abc', kind: 'b', points: [{ x: 1 }, { x: 2, y: 3 }], either: { way: 'two', ids: { a: 1 } } },
    { name: '', either },
    { name: 'abcdefg', kind: 'c', points: [{ x: 'no' }], either: { way: 'three' } },
    { name: 'abc', either: { way: 'one', at: 'yesterday' }, further: 1 },
    null,
  ]
  for (const input of inputs) {
    const [ours, theirs] = [lazy().safeParse(input), eager().safeParse(input)]
    expect(ours.success).toBe(theirs.success)
    expect(ours.data).toEqual(theirs.data)
    expect(ours.error?.issues).toEqual(theirs.error?.issues)
  }
})

it('takes part in other schemas, in extended ones and in JSON Schema', () => {
  expect(Object.keys({ ...lazy().shape })).toEqual(Object.keys(eager().shape))
  expect(zod.array(lazy()).safeParse([{ name: 'a' }]).success).toBe(false)
  expect(lazy().extend({ more: zod.boolean() }).safeParse({}).error?.issues).toHaveLength(3)
  expect(lazy() instanceof zod.ZodObject).toBe(true)
  expect(zod.toJSONSchema(z.schemaOf(lazy()))).toEqual(zod.toJSONSchema(eager()))
})
