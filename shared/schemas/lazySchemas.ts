import { z as zod } from 'zod'

/**
 * Schema builders with zod's names and types that build a schema only when it first checks something. Modules describe
 * hundreds of schemas and check few of them; building all at startup takes longer than the rest of a short command.
 * Import this module as `import * as z from …`.
 */
export type { infer, input, output, ZodObject, ZodRecord, ZodType } from 'zod'

/** Methods that derive another schema; they are deferred like the schema. */
const deferredMethods: ReadonlySet<PropertyKey> = new Set([
  'array',
  'catch',
  'default',
  'describe',
  'finite',
  'gt',
  'int',
  'max',
  'min',
  'nullable',
  'nullish',
  'optional',
  'overwrite',
  'positive',
  'refine',
  'regex',
  'transform',
  'trim',
])

type Method = (...args: unknown[]) => object
type Fields = Record<PropertyKey, unknown>

/** Functions that build the real schemas, by their proxies. */
const builders = new WeakMap<object, () => object>()

/** Returns the real schema, which zod functions such as `toJSONSchema` look up by identity. */
export const schemaOf = <Schema extends object>(schema: Schema): Schema =>
  (builders.get(schema)?.() ?? schema) as Schema

/** Replaces deferred schemas inside another schema's definition: fields of an object, options of a union. */
function withSchemas(part: unknown): unknown {
  if (typeof part !== 'object' || part === null) return part
  if (builders.has(part)) return schemaOf(part)
  if (Array.isArray(part)) return part.map(withSchemas)
  if (Object.getPrototypeOf(part) !== Object.prototype) return part
  return Object.fromEntries(Object.entries(part).map(([name, each]) => [name, withSchemas(each)]))
}

/** Returns a proxy that builds the schema when anything but a deferred method is accessed. */
function lazySchema(build: () => object): object {
  let built: Fields | null = null
  const schema = (): Fields => (built ??= build() as Fields)
  const lazy = new Proxy(
    {},
    {
      get(_, name) {
        if (built === null && deferredMethods.has(name))
          return (...args: unknown[]) => lazySchema(() => (schema()[name] as Method)(...args.map(withSchemas)))
        const value = schema()[name]
        // Methods are bound to the schema, because they read its fields.
        return typeof value === 'function' ? value.bind(schema()) : value
      },
      set(_, name, value) {
        schema()[name] = value
        return true
      },
      has: (_, name) => name in schema(),
      ownKeys: () => Reflect.ownKeys(schema()),
      getPrototypeOf: () => Reflect.getPrototypeOf(schema()),
      getOwnPropertyDescriptor(_, name) {
        const descriptor = Reflect.getOwnPropertyDescriptor(schema(), name)
        return descriptor && { ...descriptor, configurable: true }
      },
    },
  )
  builders.set(lazy, schema)
  return lazy
}

const lazily = <Builder extends (...args: never[]) => object>(build: Builder): Builder =>
  ((...args: Parameters<Builder>) =>
    lazySchema(() => build(...(args.map(withSchemas) as Parameters<Builder>)))) as Builder

export const array = lazily(zod.array)
export const boolean = lazily(zod.boolean)
export const custom = lazily(zod.custom)
export const discriminatedUnion = lazily(zod.discriminatedUnion)
export const int = lazily(zod.int)
export const literal = lazily(zod.literal)
export const looseObject = lazily(zod.looseObject)
export const number = lazily(zod.number)
export const object = lazily(zod.object)
export const record = lazily(zod.record)
export const strictObject = lazily(zod.strictObject)
export const string = lazily(zod.string)
export const union = lazily(zod.union)
export const unknown = lazily(zod.unknown)
export const iso = { date: lazily(zod.iso.date), datetime: lazily(zod.iso.datetime) }

const enumOf = lazily(zod.enum)
const nullType = lazily(zod.null)
const instanceOf = lazily(zod.instanceof)
export { enumOf as enum, instanceOf as instanceof, nullType as null }
