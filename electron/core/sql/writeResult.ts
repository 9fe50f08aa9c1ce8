import type { Frame } from '#shared/contract/frame.ts'
import type { OpenedQuery, SqlQuery, SqlService } from './sqlService.ts'
import { createResultEncoder, type ResultEncoder, type ResultFormat } from './resultFile.ts'

/** Number of rows read from the engine at a time. */
const PAGE_ROWS = 20_000

/** Tells whether a format contains the provenance; the other formats get a separate provenance file. */
export const carriesProvenance = (format: ResultFormat): boolean => format === 'parquet' || format === 'arrow'

export const PROVENANCE_SUFFIX = '.provenance.json'

/**
 * Describes the origin of a result: its query, the parameters, the hash of every file that the query read, and the data
 * that were missing.
 */
export const resultProvenance = (
  {
    sources,
    columns,
    rows,
    isCut,
    preflight,
  }: Pick<OpenedQuery, 'sources' | 'columns' | 'rows' | 'isCut' | 'preflight'>,
  { sql, parameters }: Pick<SqlQuery, 'sql' | 'parameters'>,
  { version, nowMs }: { version: string; nowMs: number },
): Record<string, unknown> => ({
  writtenBy: `Perpscope ${version}`,
  writtenAt: new Date(nowMs).toISOString(),
  sql,
  parameters,
  rows,
  ...(isCut && { isCut }),
  units: Object.fromEntries(columns.flatMap(({ name, unit }) => (unit === null ? [] : [[name, unit]]))),
  warnings: [
    ...columns.flatMap(({ name, warning }) => (warning === null ? [] : [`${name}: ${warning}`])),
    ...preflight.warnings,
  ],
  files: sources,
  ...(preflight.missing.length > 0 && { missing: preflight.missing }),
  ...(preflight.leftOut.length > 0 && { leftOut: preflight.leftOut }),
})

/** Reads all pages of a result. */
export async function* resultPages(
  service: Pick<SqlService, 'page'>,
  { id, rows }: Pick<OpenedQuery, 'id' | 'rows'>,
  signal: AbortSignal,
): AsyncGenerator<Frame> {
  for (let from = 0; from < rows; from += PAGE_ROWS)
    yield service.page(id, from, Math.min(PAGE_ROWS, rows - from), signal)
}

/** Encodes a result page by page. */
export async function* encodeResult(
  format: ResultFormat,
  columns: OpenedQuery['columns'],
  pages: AsyncIterable<Frame>,
  provenance: () => string,
): AsyncGenerator<string | Uint8Array> {
  const encoder = await encoderOf(format, columns)
  yield encoder.head(provenance())
  for await (const frame of pages) yield await encoder.rows(frame)
  yield await encoder.end(provenance())
}

/** Loads Arrow's encoder only when needed, because the package is large. */
async function encoderOf(format: ResultFormat, columns: OpenedQuery['columns']): Promise<ResultEncoder> {
  if (format !== 'arrow') return createResultEncoder(format, columns)
  const { ArrowResult } = await import('./resultArrow.ts')
  return new ArrowResult(columns)
}
