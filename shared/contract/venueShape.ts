import * as z from '../schemas/lazySchemas.ts'

/** Name of a venue. */
export const venueName = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(300, 'must have at most 300 characters')
  .refine((text) => text.isWellFormed() && !/[\s,=/\\\p{Cc}]/u.test(text), 'must have no spaces, commas, slashes or =')

/** A venue as a user types it; null for what is not known. */
export const venueShape = z.strictObject({
  id: venueName,
  short: venueName.nullable().default(null),
  sizes: z.enum(['base', 'contracts']).nullable().default(null),
  exchangeTimes: z.enum(['measured', 'modelled']).nullable().default(null),
})
