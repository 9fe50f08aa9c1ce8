import type { Venue } from './venues.ts'

/** How options write a venue: what is known of it beside its id, each at most once. */
export const venueGrammar = 'ID[,short=S][,sizes=base|contracts][,times=measured|modelled]'

const MOST_CHARACTERS = 300

/** Returns what is wrong with the name of a venue; null if nothing is. */
export function venueNameProblem(name: string): string | null {
  if (name === '') return 'must not be empty'
  if (name.length > MOST_CHARACTERS) return `must have at most ${MOST_CHARACTERS} characters`
  if (name.isWellFormed() && !/[\s,=/\\\p{Cc}]/u.test(name)) return null
  return 'must have no spaces, commas, slashes or ='
}

interface WrittenField {
  field: Exclude<keyof Venue, 'id'>
  /** The allowed values; null for any name. */
  values: readonly string[] | null
}

const fieldByKey: Readonly<Partial<Record<string, WrittenField>>> = {
  short: { field: 'short', values: null },
  sizes: { field: 'sizes', values: ['base', 'contracts'] },
  times: { field: 'exchangeTimes', values: ['measured', 'modelled'] },
}

/** Parses a venue as `venueGrammar` says, or returns a clause that says what is wrong with it. */
export function parseVenue(written: string): Venue | string {
  const [id, ...parts] = written.split(',').map((part) => part.trim())
  const idProblem = venueNameProblem(id)
  if (idProblem !== null) return `id ${idProblem}`
  const venue: Venue = { id, short: null, sizes: null, exchangeTimes: null }
  for (const part of parts) {
    const at = part.indexOf('=')
    const key = at < 0 ? part : part.slice(0, at)
    const known = fieldByKey[key]
    if (at < 0 || known === undefined) return `“${part}” is not understood`
    if (venue[known.field] !== null) return `${key} is said twice`
    const value = part.slice(at + 1).trim()
    const problem = known.values ? oneOfProblem(value, known.values) : venueNameProblem(value)
    if (problem !== null) return `${key} ${problem}`
    Object.assign(venue, { [known.field]: value })
  }
  return venue
}

const oneOfProblem = (value: string, values: readonly string[]) =>
  values.includes(value) ? null : `must be ${values.join(' or ')}, not “${value}”`
