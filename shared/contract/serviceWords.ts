import { z } from 'zod'
import type { ServiceWords } from './errors.ts'

export const serviceWords: z.ZodType<ServiceWords> = z.strictObject({
  words: z.string().nullable(),
  status: z.number().nullable(),
  requestId: z.string().nullable(),
})
