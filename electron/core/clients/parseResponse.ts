import type { z } from 'zod'
import { errorInDocument, RequestError } from './httpErrors.ts'

/**
 * Creates the error detail for a body that is not JSON; a caller that knows the secrets may append the start of the
 * body.
 */
export const notJson = (address: string) => `GET ${address}: not JSON`

/** Parses JSON as services really send it: `NaN` and `Infinity` are read as null. */
export function parseJson(text: string, address: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    try {
      return JSON.parse(withoutBareNumbers(text)) as unknown
    } catch {
      throw new RequestError('bad-answer', notJson(address))
    }
  }
}

/** Replaces `NaN` and `Infinity` outside strings by `null`, in a single pass. */
function withoutBareNumbers(text: string): string {
  const pieces: string[] = []
  for (let from = 0; from < text.length;) {
    const quote = text.indexOf('"', from)
    const outsideText = text.slice(from, quote < 0 ? undefined : quote)
    pieces.push(outsideText.replace(/-?\b(?:NaN|Infinity)\b/g, 'null'))
    if (quote < 0) break
    let end = quote + 1
    while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1
    pieces.push(text.slice(quote, end + 1))
    from = end + 1
  }
  return pieces.join('')
}

/** Parses bytes as JSON. @param address to name in the error if they are not */
export const readJson = (bytes: Uint8Array, address: string): unknown =>
  parseJson(new TextDecoder().decode(bytes), address)

/**
 * Returns the value as the schema describes it; throws an error that says where the value differs. If the value is an
 * error document that was sent with a success status, the error includes the service's message.
 */
export function parseResponse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [{ path, message }] = parsed.error.issues
  const problem = message.endsWith('received undefined') ? 'is missing' : message
  const reply = errorInDocument(value)
  throw new RequestError('bad-answer', `${path.map(String).join('.') || 'the response'}: ${problem}`, {
    ...(reply !== null && { service: { message: reply, status: null, requestId: null } }),
  })
}
