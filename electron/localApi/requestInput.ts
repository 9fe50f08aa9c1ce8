import type { IncomingMessage } from 'node:http'
import type { ZodError } from 'zod'
import { JsonExcess, parseBoundedJson } from '#shared/units/jsonLimits.ts'
import { type ProvenanceForm, provenanceForms } from '#shared/export/provenanceForms.ts'
import type { Route } from './routes.ts'

type RequestInput = { input: unknown } | { status: number; message: string }

/** Takes from the query of a table how its provenance names files, brief unless said; undefined if it says neither. */
export function takeProvenanceForm({ operation }: Route, query: URLSearchParams): ProvenanceForm | undefined {
  if (operation.gives !== 'table') return 'brief'
  const given = query.getAll('provenance').join()
  query.delete('provenance')
  return given === '' ? 'brief' : provenanceForms.find((form) => form === given)
}

/**
 * Parses the query parameters of a GET: texts and numbers, each at most once, and lists, separated by commas or given
 * item by item, as generated clients do.
 */
export function queryInput(
  { schema: { properties = {} } }: Route,
  query: URLSearchParams,
  pathFields: Readonly<Record<string, string>>,
): RequestInput {
  const isList = (name: string) => Object.hasOwn(properties, name) && properties[name].type === 'array'
  const names = [...Object.keys(pathFields), ...query.keys()]
  const duplicate = names.find((name, index) => names.indexOf(name) !== index && !isList(name))
  if (duplicate !== undefined) return { status: 400, message: 'A parameter is given twice.' }
  // A map and not an object, because a parameter may be named __proto__.
  const valueByName = new Map<string, unknown>(Object.entries(pathFields))
  for (const [name, value] of query) {
    const type = Object.hasOwn(properties, name) ? properties[name].type : undefined
    const list = isList(name) ? query.getAll(name).flatMap((items) => items.split(',')) : null
    valueByName.set(name, list ?? typedValue(type, value))
  }
  return { input: Object.fromEntries(valueByName) }
}

/** Returns the value of a parameter as its type has it, or the text itself, which the schema then refuses. */
function typedValue(type: string | undefined, value: string): unknown {
  if (type === 'integer') return /^\d{1,12}$/.test(value) ? Number(value) : value
  if (type === 'boolean') return value === 'true' || (value === 'false' ? false : value)
  return value
}

/** Reads the body of a POST; it is the whole input, or the field of it that the operation says. */
export async function bodyInput({ operation }: Route, request: IncomingMessage): Promise<RequestInput> {
  const type = (request.headers['content-type'] ?? '').split(';')[0].trim().toLowerCase()
  if (type !== 'application/json') return { status: 415, message: 'The body must be application/json.' }
  const body = await readBody(request)
  if (body === null) return { status: 413, message: 'The body is larger than 1 MB.' }
  try {
    const parsed = parseBoundedJson(new TextDecoder('utf-8', { fatal: true }).decode(body))
    return { input: operation.body === undefined ? parsed : { [operation.body]: parsed } }
  } catch (thrown) {
    return { status: 400, message: thrown instanceof JsonExcess ? thrown.message : 'The body is not JSON.' }
  }
}

const MOST_BODY_BYTES = 1_000_000
/** Maximum size of an oversized body that is read and discarded, so that the client receives the refusal. */
const MOST_DROPPED_BYTES = 32_000_000

/** Reads the body of a request; null if it is too large. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  if (Number(request.headers['content-length'] ?? 0) > MOST_DROPPED_BYTES) return null
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length
    if (bytes > MOST_DROPPED_BYTES) return null
    if (bytes > MOST_BODY_BYTES) pieces.length = 0
    else pieces.push(piece)
  }
  return bytes > MOST_BODY_BYTES ? null : Buffer.concat(pieces)
}

/** Names the invalid fields of a request, each with the reason. */
export const inputMessage = ({ issues }: ZodError): string =>
  issues
    .map(({ path, message }) => {
      const reason = message.endsWith('received undefined') ? 'is required' : message
      return path.length > 0 ? `${path.join('.')}: ${reason}` : reason
    })
    .join('; ')
    .slice(0, 1000)
