import { ARROW_STREAM } from './encodeTable.ts'
import type { JsonSchema } from './jsonSchema.ts'
import { type Route, routes } from './routes.ts'

const json = (schema: unknown, example?: unknown) => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
})

const tableSchema = {
  type: 'object',
  required: ['columns', 'rows', 'provenance'],
  properties: {
    columns: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          type: { type: 'string' },
          unit: { type: ['string', 'null'] },
          warning: { type: ['string', 'null'] },
        },
      },
    },
    rows: {
      type: 'array',
      items: { type: 'object' },
      description:
        'Cells by column. Times are ISO 8601 in UTC; numbers that JSON cannot write (NaN, infinities) are strings.',
    },
    provenance: { type: 'object', description: 'The request, the files with their SHA-256, and what is missing.' },
  },
}

const errorSchema = {
  type: 'object',
  properties: {
    error: { type: 'object', properties: { code: { type: 'string' }, message: { type: 'string' } } },
  },
}

const refusals = {
  400: 'The request cannot be answered as it is.',
  401: 'No token, or a wrong one.',
  403: 'Host or Origin is not this machine.',
  404: 'There is no such path, or the data is not in the cache.',
  405: 'Method not allowed on this path.',
  409: 'The files that the answer needs contradict each other; the message names them.',
  413: 'The body is larger than 1 MB.',
  415: 'The body is not JSON.',
  429: 'More than 50 requests per second for paths that do not exist; Retry-After says when to retry.',
  500: 'The request failed for a reason that is not the caller’s; the log of the app has it.',
  503: 'More than 256 requests are waiting for their turn; Retry-After says when to retry.',
}

const refusalResponses = Object.fromEntries(
  Object.entries(refusals).map(([status, description]) => [status, { description, content: json(errorSchema) }]),
)

/**
 * Describes the local API in OpenAPI 3.1.
 * @param url address at which it was asked
 */
export function openApiDocument(version: string, url: string): unknown {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const each of routes) {
    const operations = (paths[each.path] ??= {})
    operations[each.method.toLowerCase()] = operationOf(each)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Perpscope on this machine',
      version,
      description: 'Reads the cache and runs studies. It downloads and deletes nothing.',
    },
    servers: [{ url, description: 'This machine; the port is in the file door/address.json of the data folder.' }],
    security: [{ token: [] }],
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    paths,
  }
}

function operationOf({ method, path, operationId, operation, schema }: Route): unknown {
  const { label, help, body, gives, isArrowOnly, example = {} } = operation
  const parameters = method === 'GET' ? parametersOf(schema, path, example) : []
  const arrow = { [ARROW_STREAM]: { schema: { type: 'string', contentEncoding: 'binary' } } }
  const content = gives !== 'table' ? json({ type: 'object' }) : { ...(!isArrowOnly && json(tableSchema)), ...arrow }
  const bodySchema = body === undefined ? schema : schema.properties?.[body]
  return {
    operationId,
    summary: label,
    description: help,
    ...(parameters.length > 0 && { parameters }),
    ...(method === 'POST' && {
      requestBody: { required: true, content: json(bodySchema, body === undefined ? example : example[body]) },
    }),
    responses: { 200: { description: 'Done.', content }, ...refusalResponses },
  }
}

const parametersOf = (
  { properties = {}, required = [] }: JsonSchema,
  path: string,
  example: Readonly<Record<string, unknown>>,
) =>
  Object.entries(properties).map(([name, schema]) => ({
    name,
    in: path.endsWith(`{${name}}`) ? 'path' : 'query',
    required: required.includes(name),
    schema,
    ...(Object.hasOwn(example, name) && { example: example[name] }),
    // A list is one parameter with comma-separated values.
    ...(schema.type === 'array' && { style: 'form', explode: false }),
  }))
