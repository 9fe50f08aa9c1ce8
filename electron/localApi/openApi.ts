import { ARROW_STREAM } from './encodeTable.ts'
import { jsonSchemaOf } from './queries.ts'
import { type Route, routes } from './routes.ts'

type JsonSchema = Record<string, unknown> & { properties?: Record<string, unknown>; required?: string[] }

const json = (schema: unknown) => ({ 'application/json': { schema } })

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

/** Describes the local API in OpenAPI 3.1. */
export function openApiDocument(version: string): unknown {
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
    security: [{ token: [] }],
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    paths,
  }
}

function operationOf({ method, path, summary, input, gives }: Route): unknown {
  const schema: JsonSchema = jsonSchemaOf(input)
  const parameters = [
    ...(path.endsWith('{id}') ? [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }] : []),
    ...(method === 'GET' ? queryParameters(schema) : []),
  ]
  const arrow = { [ARROW_STREAM]: { schema: { type: 'string', contentEncoding: 'binary' } } }
  const content = gives === 'table' ? { ...json(tableSchema), ...arrow } : json({ type: 'object' })
  return {
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(method === 'POST' && { requestBody: { required: true, content: json(schema) } }),
    responses: { 200: { description: 'Done.', content }, ...refusalResponses },
  }
}

const queryParameters = ({ properties = {}, required = [] }: JsonSchema) =>
  Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
    // A list is one parameter with comma-separated values.
    ...((schema as { type?: string }).type === 'array' && { style: 'form', explode: false }),
  }))
