/** Metadata key in the footer of a Parquet file under which the origin of its values is stored. */
export const PROVENANCE_KEY = 'perpscope.provenance'

/** Origin of a file that an engine other than the built-in one computed, stored as JSON under `PROVENANCE_KEY`. */
export interface EngineOrigin {
  engine: string
  /** Engine version; null if unknown. */
  version: string | null
  /** SHA-256 of the query, in hex; null if unknown. */
  sqlSha256: string | null
  /** Raw files or tables that the query read; empty if unknown. */
  source: string[]
}

const isTextOrNull = (value: unknown) => value === null || typeof value === 'string'

export function isEngineOrigin(value: unknown): value is EngineOrigin {
  if (typeof value !== 'object' || value === null) return false
  const { engine, version, sqlSha256, source } = value as Record<string, unknown>
  return (
    typeof engine === 'string' &&
    isTextOrNull(version) &&
    isTextOrNull(sqlSha256) &&
    Array.isArray(source) &&
    source.every((each) => typeof each === 'string')
  )
}
