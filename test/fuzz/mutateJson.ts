/** Place in a JSON document: the object or list that holds a value, and the value's key there. */
interface Place {
  holder: Record<string, unknown> | unknown[]
  key: string | number
}

const oddValues: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  0.5,
  1e308,
  -1e-308,
  2 ** 53,
  '',
  ' ',
  '\ud83d',
  '__proto__',
  'constructor',
  '2026-02-30',
  '1d',
  'a',
  [],
  {},
  [[]],
  [null],
]

/**
 * Changes one to four values of a JSON document; the mutant is still valid JSON, so it tests the code behind the
 * parser.
 */
export function mutateJson(text: string, random: () => number): string {
  const root = { document: JSON.parse(text) as unknown }
  const below = (limit: number) => Math.floor(random() * limit)
  const changes = 1 + below(4)
  for (let change = 0; change < changes; change++) {
    const places = placesIn(root)
    const { holder, key } = places[below(places.length)]
    const values = holder as Record<string | number, unknown>
    const kind = below(6)
    if (kind === 0) values[key] = structuredClone(oddValues[below(oddValues.length)])
    else if (kind === 1) values[key] = valueAt(places[below(places.length)])
    else if (kind === 2) remove(holder, key)
    else if (kind === 3) values[key] = repeatValue(values[key], 2 ** below(11))
    else if (kind === 4) values[key] = changedNumber(values[key], random)
    else if (!Array.isArray(holder))
      addField(holder, String(oddValues[below(oddValues.length)]), valueAt({ holder, key }))
  }
  return JSON.stringify(root.document) ?? 'null'
}

/** Repeats a value so often that an algorithm of quadratic cost becomes slow; a large value is repeated less often. */
function repeatValue(value: unknown, times: number): unknown[] {
  const characters = JSON.stringify(value)?.length ?? 4
  return Array.from({ length: Math.min(times, Math.ceil(200_000 / characters)) }, () => structuredClone(value))
}

const MOST_PLACES = 5000

function placesIn(root: Record<string, unknown>): Place[] {
  const places: Place[] = []
  const visit = (holder: Place['holder']): void => {
    for (const key of Array.isArray(holder) ? holder.keys() : Object.keys(holder)) {
      if (places.length >= MOST_PLACES) return
      places.push({ holder, key })
      const value = (holder as Record<string | number, unknown>)[key]
      if (typeof value === 'object' && value !== null) visit(value as Place['holder'])
    }
  }
  visit(root)
  return places
}

/** Returns a copy of the value at a place, because a document that contained itself could not be written as JSON. */
const valueAt = ({ holder, key }: Place): unknown => structuredClone((holder as Record<string | number, unknown>)[key])

function remove(holder: Place['holder'], key: string | number): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1)
  else if (key !== 'document') delete holder[key]
}

/** Defines the field, because assigning to `__proto__` would change what the object inherits. */
function addField(holder: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true })
}

function changedNumber(value: unknown, random: () => number): unknown {
  if (typeof value !== 'number') return value
  const factors = [-1, 0.5, 2, 10, 1e6, 1e300]
  return value * factors[Math.floor(random() * factors.length)]
}
