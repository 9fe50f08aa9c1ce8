import { venueNameProblem } from '../catalog/writtenVenue.ts'
import * as z from '../schemas/lazySchemas.ts'

/** Name of a venue. */
export const venueName = z
  .string()
  .trim()
  .superRefine((text, context) => {
    const problem = venueNameProblem(text)
    if (problem !== null) context.addIssue({ code: 'custom', message: problem })
  })

/** A venue as a user types it; null for what is not known. */
export const venueShape = z.strictObject({
  id: venueName,
  short: venueName.nullable().default(null),
  sizes: z.enum(['base', 'contracts']).nullable().default(null),
  exchangeTimes: z.enum(['measured', 'modelled']).nullable().default(null),
})
