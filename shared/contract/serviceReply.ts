import * as z from '../schemas/lazySchemas.ts'
import type { ServiceReply } from './errors.ts'

export const serviceReply: z.ZodType<ServiceReply> = z.strictObject({
  message: z.string().nullable(),
  status: z.number().nullable(),
  requestId: z.string().nullable(),
})
