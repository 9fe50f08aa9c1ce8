import { venuesOf } from '#shared/contract/venuesOf.ts'
import type { Venues } from '#shared/catalog/venues.ts'
import { intervals, intervalTier } from '#shared/catalog/intervals.ts'
import { neededTier } from '#shared/catalog/neededTier.ts'
import { rawNotesOf, sizeUnitsOf } from '#shared/catalog/rawNotes.ts'
import type { RawCatalogView, RawDescriptor, ServiceDataset } from '#shared/contract/areas/discovery.ts'
import type { Client } from '#shared/contract/client.ts'
import { column, fieldColumns, type ReadColumn } from '#shared/sheet/sheet.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { soleAction, exit, type CliCommand } from '../command.ts'
import { findConnection } from '../connections.ts'
import { freshnessNote } from '../freshnessNote.ts'
import type { Output } from '../print.ts'
import { recordLines } from '../sheetLines.ts'
import { catalogCommandText as text } from '../text/commands.ts'
import { noteText, usageText } from '../text/messages.ts'
import { UsageError } from '../usageError.ts'

interface CatalogRequest {
  connectionId: string
  refresh: boolean
}

/** Tier that the shortest intervals require for every dataset. */
const TOP_TIER = 3

const list = soleAction({
  summary: text.run.summary,
  options: {
    raw: { type: 'flag', description: text.run.options.raw },
    tiers: { type: 'flag', description: text.run.options.tiers },
    refresh: { type: 'flag', description: text.run.options.refresh },
  },
  readsOnly: true,
  async run({ client, connection, options, out, signal }) {
    if (options.raw && options.tiers) throw new UsageError(usageText.rawHasNoTiers)
    const core = await client()
    const { id: connectionId } = await findConnection(core, connection)
    const request = { connectionId, refresh: options.refresh }
    if (options.raw) await printRaw(core, request, out, signal)
    else await printMetrics(core, request, options.tiers, out, signal)
    return exit.done
  },
})

async function printMetrics(
  core: Client,
  request: CatalogRequest,
  withTiers: boolean,
  out: Output,
  signal: AbortSignal,
) {
  const { datasets, freshness } = await core.call('discovery.catalog', request, { signal })
  const published = withTiers ? datasets.map((dataset) => ({ ...dataset, tier: neededTier(dataset.id, '') })) : datasets
  out.result({ datasets: published, learned: freshness }, () =>
    recordLines(
      datasetColumns.filter(({ key }) => withTiers || key !== 'tier'),
      datasets,
    ),
  )
  const topTierIntervals = intervals.filter((interval) => intervalTier(interval) === TOP_TIER)
  if (withTiers) out.note(noteText.intervalTiers(topTierIntervals, TOP_TIER))
  out.note(freshnessNote(freshness))
}

const datasetColumns: readonly ReadColumn<ServiceDataset>[] = [
  ...fieldColumns({ id: 'Dataset', category: 'Category' }),
  column('columns', 'Columns', 'count', ({ fields }) => fields.length),
  column('tier', 'Tier', 'count', ({ id }) => neededTier(id, '')),
  ...fieldColumns({ name: 'Name' }),
]

async function printRaw(core: Client, request: CatalogRequest, out: Output, signal: AbortSignal) {
  const { catalog } = await core.call('discovery.rawCatalog', request, { signal })
  const venues = await venuesOf(core, request.connectionId)
  out.result(rawDocument(catalog, venues), () => [
    ...headLines(catalog),
    ...catalog.datasets.flatMap(datasetLines(catalog, venues)),
  ])
  if (catalog.problems.length > 0) out.note(noteText.catalogProblems(catalog.problems))
  out.note(freshnessNote(catalog.freshness))
}

function rawDocument(catalog: RawCatalogView, venues: Venues) {
  const { schemaVersion, dailyFilesFrom, previewPeriod, previewSymbols, summary, problems, freshness } = catalog
  return {
    schemaVersion,
    dailyFilesFrom,
    generatedAt: freshness.generatedAt === null ? null : new Date(freshness.generatedAt).toISOString(),
    preview: { period: previewPeriod, symbols: previewSymbols },
    datasets: catalog.datasets.map((dataset) => ({
      ...dataset,
      columns: dataset.columns.map((column) => ({
        ...column,
        units: sizeUnitsOf(column.name, dataset.exchanges, venues),
      })),
      notes: rawNotesOf(dataset.id, venues),
    })),
    summary,
    problems,
    learned: freshness,
  }
}

function headLines({ dailyFilesFrom, previewPeriod, previewSymbols }: RawCatalogView): string[] {
  const symbols = Object.entries(previewSymbols).map(([venue, symbol]) => `${venue} ${symbol}`)
  return [
    ...(dailyFilesFrom === null ? [] : [`Files are monthly before ${dailyFilesFrom} and daily from then on.`]),
    ...(previewPeriod === null ? [] : [`Preview: ${previewPeriod}: ${symbols.join(', ')}`]),
  ]
}

const datasetLines =
  ({ summary }: RawCatalogView, venues: Venues) =>
  ({ id, name, description, exchanges, columns }: RawDescriptor): string[] => [
    '',
    `${id}: ${name}. ${description}`,
    ...recordLines<RawDescriptor['columns'][number]>(
      [
        ...fieldColumns({ name: 'Column', type: 'Type' }),
        column('nullable', 'Nullable', 'text', ({ nullable }) => (nullable ? 'yes' : 'no')),
        column('unit', 'Unit', 'text', (each) => unitsText(sizeUnitsOf(each.name, exchanges, venues))),
        ...fieldColumns({ description: 'Description' }),
      ],
      columns,
    ),
    ...summary
      .filter((each) => each.dataset === id)
      .map(
        ({ exchange, symbols, first, last }) => `${exchange}: ${plainPlural(symbols, 'symbol')}, ${first} to ${last}`,
      ),
    ...rawNotesOf(id, venues),
  ]

const unitsText = (units: Record<string, string | null> | null) =>
  Object.entries(units ?? {})
    .map(([venue, unit]) => `${venue}: ${unit ?? 'unknown'}`)
    .join(', ')

export const command: CliCommand = {
  verb: 'catalog',
  summary: text.summary,
  description: text.description,
  examples: [
    'perpscope catalog',
    'perpscope catalog --tiers',
    'perpscope catalog --raw',
    "perpscope catalog --json | jq -r '.datasets[].id'",
  ],
  actions: [list],
}
