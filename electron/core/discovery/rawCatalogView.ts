import { z } from 'zod'
import type { RawCatalogView } from '#shared/contract/areas/discovery.ts'
import type { Known, RawCatalogKnown } from './discovery.ts'

const text = z.string().catch('')

/** Holes in the document become empty values here, so that a screen shows what is there. */
const shape = z.looseObject({
  schema_version: z.number().nullable().catch(null),
  daily_files_from: z.string().nullable().catch(null),
  preview: z
    .looseObject({ period: z.string().nullable().catch(null), symbols: z.record(z.string(), z.string()).catch({}) })
    .catch({ period: null, symbols: {} }),
  datasets: z.array(
    z.looseObject({
      id: z.string(),
      name: text,
      description: text,
      exchanges: z.array(z.string()).catch([]),
      columns: z
        .array(z.looseObject({ name: z.string(), type: text, nullable: z.boolean().catch(true), description: text }))
        .catch([]),
    }),
  ),
  summary: z
    .array(
      z.looseObject({
        dataset: z.string(),
        exchange: z.string(),
        symbols: z.number(),
        first: z.string(),
        last: z.string(),
      }),
    )
    .catch([]),
})

export function rawCatalogView({ value, fetchedAtMs, generatedAtMs, source }: Known<RawCatalogKnown>): RawCatalogView {
  const { schema_version, daily_files_from, preview, datasets, summary } = shape.parse(value.catalog)
  return {
    learned: { fetchedAt: fetchedAtMs, generatedAt: generatedAtMs, source },
    schemaVersion: schema_version,
    dailyFilesFrom: daily_files_from,
    previewPeriod: preview.period,
    previewSymbols: preview.symbols,
    datasets: datasets.map(({ id, name, description, exchanges, columns }) => ({
      id,
      name,
      description,
      exchanges,
      columns: columns.map((column) => ({
        name: column.name,
        type: column.type,
        nullable: column.nullable,
        description: column.description,
      })),
    })),
    summary: summary.map(({ dataset, exchange, symbols, first, last }) => ({
      dataset,
      exchange,
      symbols,
      first,
      last,
    })),
    problems: value.problems,
  }
}
