import type { IncomingMessage } from 'node:http'
import type { ZodError } from 'zod'
import { JsonExcess, parseBoundedJson } from '#shared/units/jsonLimits.ts'
import type { Route } from './routes.ts'

export type RequestInput = { input: unknown } | { status: number; message: string }

/** Parses the query parameters of a GET: texts, numbers and comma-separated lists, each at most once. */
export function queryInput({ input }: Route, query: URLSearchParams): RequestInput {
  const names = [...query.keys()]
  const duplicate = names.find((name, index) => names.indexOf(name) !== index)
  if (duplicate !== undefined) return { status: 400, message: 'A parameter is given twice.' }
  const shape: Readonly<Record<string, unknown>> = 'shape' in input ? input.shape : {}
  // A map and not an object, because a parameter may be named __proto__.
  const valueByName = new Map<string, unknown>()
  for (const [name, value] of query) {
    const isKnown = Object.hasOwn(shape, name)
    if (isKnown && name === 'limit') valueByName.set(name, /^\d{1,12}$/.test(value) ? Number(value) : value)
    else valueByName.set(name, isKnown && name === 'columns' ? value.split(',') : value)
  }
  return { input: Object.fromEntries(valueByName) }
}

/** Reads the body of a POST. */
export async function bodyInput(request: IncomingMessage): Promise<RequestInput> {
  const type = (request.headers['content-type'] ?? '').split(';')[0].trim().toLowerCase()
  if (type !== 'application/json') return { status: 415, message: 'The body must be application/json.' }
  const body = await readBody(request)
  if (body === null) return { status: 413, message: 'The body is larger than 1 MB.' }
  try {
    return { input: parseBoundedJson(new TextDecoder('utf-8', { fatal: true }).decode(body)) }
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
