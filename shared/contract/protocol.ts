import * as z from '../schemas/lazySchemas.ts'
import { errorCodes, type ErrorShape } from './errors.ts'
import { serviceReply } from './serviceReply.ts'

/**
 * Messages between a window and the core: plain values with typed arrays, which each transport encodes in its own way.
 */

const progressShape = z.strictObject({
  done: z.number(),
  /** Total number of steps; null if unknown. */
  total: z.number().nullable(),
  message: z.string(),
})
export type Progress = z.infer<typeof progressShape>

const errorShape: z.ZodType<ErrorShape> = z.strictObject({
  code: z.enum(errorCodes),
  sentence: z.string(),
  remedy: z.string(),
  retryable: z.boolean(),
  detail: z.string().nullable(),
  service: serviceReply.nullable(),
  field: z.string().optional(),
})

const callId = z.int().min(0)

export const fromWindow = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('call'), id: callId, name: z.string().max(100), input: z.unknown() }),
  z.strictObject({ kind: z.literal('cancel'), id: callId }),
])
export type FromWindow = z.infer<typeof fromWindow>

const toWindow = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('result'), id: callId, value: z.unknown() }),
  z.strictObject({ kind: z.literal('error'), id: callId, error: errorShape }),
  z.strictObject({ kind: z.literal('progress'), id: callId, progress: progressShape }),
  z.strictObject({ kind: z.literal('event'), name: z.string(), payload: z.unknown() }),
])
export type ToWindow = z.infer<typeof toWindow>

/** One end of a two-way message channel; the window's end may close and reopen. */
export interface Channel<Out, In> {
  /** Throws if the connection is closed. */
  send(message: Out): void
  isOpen(): boolean
  onMessage(listener: (message: In) => void): void
  onClose(listener: () => void): void
}
