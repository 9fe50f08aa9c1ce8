import { createHash } from 'node:crypto'

/** Serialises JSON with sorted keys and without white space; undefined fields are left out. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${canonicalJson(each)}`).join(',')}}`
}

export const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex')

/** Hashes the canonical JSON of a value. */
export const hashOf = (value: unknown): string => sha256(canonicalJson(value))
