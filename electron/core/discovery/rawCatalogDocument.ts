import * as z from '#shared/schemas/lazySchemas.ts'
import type { RawCatalog } from '#core/clients/rawCatalog.ts'
import { isUsableName } from '#core/clients/redact.ts'
import type { DayRange, RawCoverageRow } from '#core/store/coverageStore.ts'
import { dailyFilesFrom } from '#shared/catalog/dailyFiles.ts'
import type { RawCatalogView } from '#shared/contract/areas/discovery.ts'
import { parseDay } from '#shared/time.ts'
import { type DayNumber, dayNumberOf, periodDays } from '#shared/time/periods.ts'

const KNOWN_VERSION = 1

const text = z.string().catch('')
const optionalText = z.string().nullable().catch(null)
const names = z.array(z.unknown()).catch([])

const catalogSchema = z.looseObject({
  schema_version: z.unknown().optional(),
  daily_files_from: optionalText,
  preview: z
    .looseObject({ period: optionalText, symbols: z.record(z.string(), z.unknown()).catch({}) })
    .catch({ period: null, symbols: {} }),
  datasets: z.array(z.unknown()).nullable().catch(null),
  summary: z.array(z.unknown()).nullable().catch(null),
})
const datasetSchema = z.looseObject({
  id: z.string().min(1).refine(isUsableName),
  name: text,
  description: text,
  exchanges: names,
  columns: z.array(z.unknown()).catch([]),
})
const columnSchema = z.object({
  name: z.string().min(1).refine(isUsableName),
  type: text,
  nullable: z.boolean().catch(true),
  description: text,
})
const summarySchema = z.object({
  dataset: z.string().refine(isUsableName),
  exchange: z.string().refine(isUsableName),
  symbols: z.number(),
  first: z.string(),
  last: z.string(),
})

type CatalogDocument = Omit<RawCatalogView, 'freshness'>

/** Reads the raw-event catalog without its coverage, and describes the parts that are invalid. */
export function readCatalogDocument(document: Omit<RawCatalog, 'coverage'>): CatalogDocument {
  const { schema_version: version, daily_files_from, preview, datasets, summary } = catalogSchema.parse(document)
  const problems: string[] = []
  if (version !== KNOWN_VERSION) problems.push(describeVersion(version))
  if (daily_files_from === null)
    problems.push(`it does not say from which day files are daily; ${dailyFilesFrom} is assumed`)
  if (datasets === null) problems.push('it has no list of datasets; the documented ones are shown')
  if (summary === null) problems.push('it has no summary by venue')
  const symbols = Object.entries(preview.symbols).filter((entry): entry is [string, string] => isText(entry[1]))
  return {
    schemaVersion: typeof version === 'number' ? version : null,
    dailyFilesFrom: daily_files_from,
    previewPeriod: preview.period,
    previewSymbols: Object.fromEntries(symbols),
    datasets: readDatasets(datasets ?? [], problems),
    summary: readEach(summarySchema, summary ?? [], (place) => `line ${place} of the summary`, problems),
    problems: firstProblems(problems),
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'

function describeVersion(version: unknown): string {
  const difference =
    version === undefined
      ? 'it has no schema_version'
      : `its schema_version is ${JSON.stringify(version)?.slice(0, 40)}, not ${KNOWN_VERSION}`
  return `${difference}: known fields are used, but may have changed their meaning`
}

function readDatasets(values: readonly unknown[], problems: string[]): CatalogDocument['datasets'] {
  const datasetsById = new Map<string, CatalogDocument['datasets'][number]>()
  for (const { id, name, description, exchanges, columns } of readEach(
    datasetSchema,
    values,
    (place) => `dataset ${place}`,
    problems,
  )) {
    if (datasetsById.has(id)) {
      problems.push(`dataset ${id} is listed twice; the first entry is used`)
      continue
    }
    if (columns.length === 0) problems.push(`dataset ${id} has no columns`)
    datasetsById.set(id, {
      id,
      name,
      description,
      exchanges: exchanges.filter(isText).filter(isUsableName),
      columns: readEach(columnSchema, columns, (place) => `column ${place} of ${id}`, problems),
    })
  }
  return [...datasetsById.values()]
}

/** Reads the elements that match the schema; the others are left out and reported. */
function readEach<Schema extends z.ZodType>(
  schema: Schema,
  values: readonly unknown[],
  nameOf: (place: number) => string,
  problems: string[],
): z.output<Schema>[] {
  return values.flatMap((value, index) => {
    const parsed = schema.safeParse(value)
    if (parsed.success) return [parsed.data]
    problems.push(`${nameOf(index + 1)} is invalid and was left out`)
    return []
  })
}

const calendarDay = z.string().refine((text) => parseDay(text) !== null)
const coverageEntry = z.looseObject({
  // Services also write a day as the instant at which it begins.
  first: z.string().overwrite(dayPart).pipe(calendarDay),
  last: z.string().overwrite(dayPart).pipe(calendarDay),
  days: z.int().min(0),
  missing: z.array(z.unknown()).nullish().catch(null),
  bytes: z.number().min(0).nullable().catch(null),
})

function dayPart(text: string): string {
  return text.replace(/[T ].*$/s, '')
}

/** Joins days and months to ranges in order, cut to the days from `first` to `last`; other values are left out. */
function missingRanges(values: readonly unknown[], first: DayNumber, last: DayNumber): DayRange[] {
  const named = values
    .flatMap((value) => (typeof value === 'string' ? (periodDays(dayPart(value)) ?? []) : []))
    .map(({ start, end }) => [Math.max(start, first), Math.min(end, last + 1)] as const)
    .filter(([start, end]) => start < end)
    .toSorted((a, b) => a[0] - b[0])
  const ranges: [DayNumber, DayNumber][] = []
  for (const [start, end] of named) {
    const before = ranges.at(-1)
    if (before && start <= before[1]) before[1] = Math.max(before[1], end)
    else ranges.push([start, end])
  }
  return ranges
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Turns the nested object dataset → venue → symbol → {first, last, days} into rows. Invalid entries are left out and
 * reported.
 */
export function coverageRows(datasets: unknown): { rows: RawCoverageRow[]; problems: string[] } {
  const rows: RawCoverageRow[] = []
  const invalidPlaces: string[] = []
  if (!isObject(datasets)) return { rows, problems: ['the document has no coverage'] }
  for (const [dataset, venues] of Object.entries(datasets)) {
    if (!isObject(venues)) invalidPlaces.push(dataset)
    else for (const [exchange, symbols] of Object.entries(venues)) readVenue(dataset, exchange, symbols)
  }

  function readVenue(dataset: string, exchange: string, symbols: unknown): void {
    if (!isObject(symbols)) return void invalidPlaces.push(`${dataset} · ${exchange}`)
    for (const [symbol, value] of Object.entries(symbols)) {
      const parsed = coverageEntry.safeParse(value)
      const hasUsableNames = [dataset, exchange, symbol].every(isUsableName)
      if (!hasUsableNames || !parsed.success || parsed.data.last < parsed.data.first) {
        invalidPlaces.push(`${dataset} · ${exchange} · ${symbol}`)
        continue
      }
      const { first, last, days, missing, bytes } = parsed.data
      const [firstDay, lastDay] = [dayNumberOf(first), dayNumberOf(last)]
      rows.push({
        ...{ dataset, exchange, symbol, firstDay, lastDay, days },
        missing: missing ? missingRanges(missing, firstDay, lastDay) : null,
        sizeBytes: bytes === null ? null : Math.round(bytes),
      })
    }
  }

  return {
    rows,
    problems: firstProblems(
      invalidPlaces.map((where) => `the coverage of ${where.toWellFormed()} is invalid and was left out`),
    ),
  }
}

/** Number of problems that are listed, enough to see what is wrong with a document. */
const MOST_LISTED_PROBLEMS = 20

/** Lists the first problems and counts the rest. */
function firstProblems(problems: readonly string[]): string[] {
  const more = problems.length - MOST_LISTED_PROBLEMS
  return more <= 0 ? [...problems] : [...problems.slice(0, MOST_LISTED_PROBLEMS), `and ${more} more`]
}
