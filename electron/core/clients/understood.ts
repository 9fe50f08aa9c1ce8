import type { z } from 'zod'
import { RequestError } from './httpErrors.ts'

/** The value in the shape we need, whatever else it holds; or an error that says where it differs. */
export function parseResponse<Shape extends z.ZodType>(shape: Shape, value: unknown): z.output<Shape> {
  const parsed = shape.safeParse(value)
  if (parsed.success) return parsed.data
  const [{ path, message }] = parsed.error.issues
  const problem = message.endsWith('received undefined') ? 'is missing' : message
  throw new RequestError('bad-answer', `${path.map(String).join('.') || 'the answer'}: ${problem}`)
}
