import { schemaOf } from '#shared/schemas/lazySchemas.ts'
import { z } from 'zod'

/**
 * Tells whether a key is the name of a field; keys such as `venuea-futures` or `BTC` come from data and are listed as
 * `*`.
 */
const isFieldName = (key: string) => /^[a-z][A-Za-z0-9_]*$/.test(key)

/** Lists the fields of a value with their types, recursively: `downloads[].error.code: string`. */
export function fieldsOfValue(value: unknown, at = ''): string[] {
  if (Array.isArray(value)) return [`${at}: array`, ...value.flatMap((each) => fieldsOfValue(each, `${at}[]`))]
  if (value === null) return [`${at}: null`]
  if (typeof value !== 'object') return [`${at}: ${typeof value}`]
  const fields = Object.entries(value).flatMap(([key, each]) =>
    fieldsOfValue(each, [at, isFieldName(key) ? key : '*'].filter(Boolean).join('.')),
  )
  return [`${at}: object`, ...fields]
}

interface JsonSchema {
  type?: string
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: JsonSchema | boolean
  items?: JsonSchema
  prefixItems?: JsonSchema[]
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  allOf?: JsonSchema[]
  enum?: unknown[]
  const?: unknown
  default?: unknown
  $ref?: string
  $defs?: Record<string, JsonSchema>
}

/**
 * Lists the fields of a schema with their types, whether they are optional, their allowed values and their defaults.
 */
export function fieldsOfSchema(schema: z.ZodType): string[] {
  const root = z.toJSONSchema(schemaOf(schema), { io: 'input', unrepresentable: 'any' }) as JsonSchema
  const visit = (node: JsonSchema, at: string): string[] => {
    const target = node.$ref?.startsWith('#/$defs/') ? root.$defs?.[node.$ref.slice('#/$defs/'.length)] : undefined
    if (target) return visit(target, at)
    const type = node.type ?? (node.const === undefined ? null : typeof node.const)
    const required = new Set(node.required)
    return [
      ...(type === null ? [] : [`${at}: ${type}`]),
      ...(node.const === undefined ? [] : [`${at} = ${JSON.stringify(node.const)}`]),
      ...(node.enum ?? []).map((value) => `${at} = ${JSON.stringify(value)}`),
      ...(node.default === undefined ? [] : [`${at} defaults to ${JSON.stringify(node.default)}`]),
      ...Object.entries(node.properties ?? {}).flatMap(([name, field]) => [
        ...(required.has(name) ? [] : [`${at}.${name} may be left out`]),
        ...visit(field, `${at}.${name}`),
      ]),
      ...[node.items ?? [], node.prefixItems ?? []].flat().flatMap((item) => visit(item, `${at}[]`)),
      ...(typeof node.additionalProperties === 'object' ? visit(node.additionalProperties, `${at}.*`) : []),
      ...[node.anyOf ?? [], node.oneOf ?? [], node.allOf ?? []].flat().flatMap((part) => visit(part, at)),
    ]
  }
  return visit(root, '')
}
