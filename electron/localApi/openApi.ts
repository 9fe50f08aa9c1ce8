import { provenanceForms } from '#shared/export/provenanceForms.ts'
import { kindSchema } from '#shared/lab/describeFields.ts'
import { labKinds } from '#shared/lab/kinds.ts'
import { ARROW_STREAM } from './encodeTable.ts'
import type { JsonSchema } from './jsonSchema.ts'
import { type Route, routes } from './routes.ts'
import described from './schemas/answerSchemas.json' with { type: 'json' }

const json = (schema: unknown, example?: unknown) => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
})

const answerSchemas: Readonly<Record<string, unknown>> = described.answers
const shared = (name: string) => ({ $ref: `#/components/schemas/${name}` })

const tableSchema = {
  type: 'object',
  required: ['columns', 'rows', 'provenance'],
  properties: {
    columns: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'type', 'unit', 'warning'],
        properties: {
          name: { type: 'string' },
          type: { type: 'string', description: 'Type of the cells, in the words of SQL.' },
          unit: { type: ['string', 'null'] },
          warning: { type: ['string', 'null'] },
        },
      },
    },
    rows: {
      type: 'array',
      items: { type: 'object', additionalProperties: true },
      description:
        'Cells by column. Times are ISO 8601 in UTC; numbers that JSON cannot write (NaN, infinities) are strings.',
    },
    provenance: {
      type: 'object',
      additionalProperties: true,
      description: 'The request, the files with their SHA-256, and what is missing.',
    },
  },
}

const refusalSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: { code: { type: 'string' }, message: { type: 'string' } },
    },
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
  Object.entries(refusals).map(([status, description]) => [status, { description, content: json(shared('Refusal')) }]),
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
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: {
        ...{ Table: tableSchema, Refusal: refusalSchema },
        ...documentSchemas(),
        ...described.definitions,
      },
    },
    paths,
  }
}

function operationOf({ method, path, operationId, operation, schema }: Route): unknown {
  const { label, help, body, gives, isArrowOnly, example = {} } = operation
  const parameters = [
    ...(method === 'GET' ? parametersOf(schema, path, example) : []),
    ...(gives === 'table' ? [provenanceParameter] : []),
  ]
  const arrow = { [ARROW_STREAM]: { schema: { type: 'string', format: 'binary' } } }
  const content =
    gives === 'table' ? { ...(!isArrowOnly && json(shared('Table'))), ...arrow } : json(answerSchemas[operationId])
  const bodySchema = body === undefined ? schema : schema.properties?.[body]
  return {
    operationId,
    summary: label,
    description: help,
    ...(parameters.length > 0 && { parameters }),
    ...(method === 'POST' && {
      requestBody: {
        required: true,
        content: json(withSharedDocument(bodySchema), body === undefined ? example : example[body]),
      },
    }),
    responses: { 200: { description: 'Done.', content }, ...refusalResponses },
  }
}

/**
 * Describes the document of a study, and each kind of it under its own name, by which generators of clients keep apart
 * what the kinds have in common.
 */
function documentSchemas(): Record<string, unknown> {
  const byName = Object.fromEntries(
    labKinds.map((kind) => [
      `${kind[0].toUpperCase()}${kind.slice(1)}Document`,
      withoutObjectDefaults(kindSchema(kind)),
    ]),
  )
  return { StudyDocument: { oneOf: Object.keys(byName).map(shared) }, ...byName }
}

/** Leaves out defaults that are objects, because generators of clients cannot write them. */
const withoutObjectDefaults = (schema: unknown): unknown =>
  JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      key === 'default' && typeof value === 'object' && value !== null ? undefined : value,
    ),
  )

/** Refers to the documents of studies, which are long, in place of describing them in each request. */
function withSharedDocument(schema: JsonSchema | undefined): unknown {
  if (schema?.oneOf !== undefined) return shared('StudyDocument')
  const fields = Object.entries(schema?.properties ?? {})
  return { ...schema, properties: Object.fromEntries(fields.map(([name, one]) => [name, withSharedDocument(one)])) }
}

const provenanceParameter = {
  name: 'provenance',
  in: 'query',
  required: false,
  description:
    'Brief: files that outnumber the rows stand in a list in the data folder, which provenance.fileList names. Full: all of them.',
  schema: { type: 'string', enum: provenanceForms, default: provenanceForms[0] },
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
  }))
