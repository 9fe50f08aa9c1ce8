import { z } from 'zod'
import { schemaOf } from '#shared/schemas/lazySchemas.ts'

export type JsonSchema = Record<string, unknown> & {
  type?: string
  properties?: Record<string, JsonSchema>
  required?: string[]
}

/** Describes an input as JSON Schema; formats are named without their long patterns. */
export function jsonSchemaOf(input: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(schemaOf(input), {
    io: 'input',
    override({ jsonSchema }) {
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern
    },
  })
  return schema as JsonSchema
}
