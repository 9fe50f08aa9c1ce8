import { documentedVenues, parseVenues } from '../../electron/sandbox/market/venues.ts'

const otherNames = process.env.PERPSCOPE_TEST_VENUES

/** Whether the venues of this run have other names than in the service documents, whose names must not appear then. */
export const hasOtherNames = Boolean(otherNames)

/** Venues of this run's sandboxes: those of the service documents, or the same with other names. */
export const testVenues = otherNames ? parseVenues(otherNames) : documentedVenues

const [first, second, third] = testVenues.map(({ id }) => id)

/** Names of the venues of this run. */
export const venues = { first, second, third }
