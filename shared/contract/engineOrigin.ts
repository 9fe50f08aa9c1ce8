/** Key in the footer of a Parquet file under which it says where its values come from. */
export const PROVENANCE_KEY = 'perpscope.provenance'

/** Origin of a file that another engine than the built-in one computed; it is in the file as JSON under `PROVENANCE_KEY`. */
export interface EngineOrigin {
  engine: string
  /** Version of the engine; null if it does not tell. */
  version: string | null
  /** SHA-256 of the query, in hex; null where nothing told it. */
  sqlSha256: string | null
  /** Raw files or tables that the query read; empty where nothing told. */
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
