import type { ProvenanceForm } from '#shared/export/provenanceForms.ts'
import type { DatedSizes } from '#shared/units/contractSizes.ts'
import { columnUnit, UNIT_UNKNOWN } from '#shared/units/measureUnits.ts'
import type { ContractSizes, InstrumentFacts } from '#shared/workspace/checkEntryFormula.ts'
import { COMPUTED_LABEL, isComputedHere } from '#shared/workspace/columnLabels.ts'
import { columnsBehind, seriesBehind } from '#shared/workspace/expandFormula.ts'
import { allSeries } from '#shared/workspace/workspace.ts'
import type { ColumnSource, SeriesEntry, SeriesSource, WorkspaceDocument } from '#shared/workspace/workspaceSchema.ts'
import { transformLabels } from '../../charts/model.ts'
import { workbenchText } from '../../text/workbench.ts'
import { modelledTimeNotes } from './chartModel.ts'
import type { LoadedSeries } from './seriesData.ts'

const { provenance: text } = workbenchText

/** Number of files of a series that a brief description names. */
const FEW_HASHES = 3

interface LineContext {
  all: readonly SeriesEntry[]
  loadedOf: (seriesId: string) => LoadedSeries
  facts: InstrumentFacts
  form: ProvenanceForm
}

/**
 * Describes the sources of a picture: datasets, clocks, files, fetch times, transforms. Each visible series has a line,
 * and so has each hidden one that a visible formula uses.
 */
export function chartProvenance(
  document: WorkspaceDocument,
  loadedOf: (seriesId: string) => LoadedSeries,
  connection: string,
  facts: InstrumentFacts,
  form: ProvenanceForm,
): string {
  const all = allSeries(document)
  const entriesBehind = new Set(
    all.filter(({ hidden }) => !hidden).flatMap((entry) => [entry, ...seriesBehind(entry, all)]),
  )
  const lines = all
    .filter((entry) => entriesBehind.has(entry))
    .map((entry) => lineOf(entry, { all, loadedOf, facts, form }))
  return [text.app(connection), ...lines].join('\n')
}

function lineOf(entry: SeriesEntry, { all, loadedOf, facts, form }: LineContext): string {
  const { id, name, source, transform, hidden } = entry
  const { whole, detail } = loadedOf(id)
  const shown = detail ?? whole
  const unit = unitOf(source, shown, facts)
  return [
    `${name}: ${subjectOf(source)}`,
    hidden ? text.hidden : '',
    isComputedHere(source) ? text.computed(COMPUTED_LABEL) : '',
    transform === 'none' ? '' : transformLabels[transform],
    source.kind === 'column' && source.resampleTo ? text.resampled(source.resampleTo) : '',
    unitText(unit),
    ...(shown?.unitWarnings ?? []).filter((warning) => warning !== unit),
    ...(shown?.notes ?? []),
    ...modelledTimeNotes(entry, all, facts.venues),
    ...contractSizeTexts(entry, all, facts.contractSizes),
    ...filesText(shown?.files ?? [], form === 'full' ? Infinity : FEW_HASHES),
  ]
    .filter(Boolean)
    .join(', ')
}

type ShownRows = LoadedSeries['whole']

const unitOf = (source: SeriesSource, shown: ShownRows, { venues }: InstrumentFacts) =>
  source.kind === 'column' ? columnUnit(source.dataset, source.column, source.exchange, venues) : (shown?.unit ?? null)

function unitText(unit: string | null): string {
  if (unit === null) return UNIT_UNKNOWN
  if (unit === 'none') return ''
  return unit.startsWith('mixed units') ? unit : text.unit(unit)
}

const subjectOf = (source: SeriesSource) =>
  source.kind === 'formula'
    ? source.formula
    : [source.dataset, source.exchange, source.symbol, source.interval, text.time(source.timestamp)].join('/')

/** Describes the contract sizes that the user gave for the columns behind a series; they may affect its values. */
function contractSizeTexts(entry: SeriesEntry, all: readonly SeriesEntry[], contractSizes: ContractSizes): string[] {
  const columns = columnsBehind(entry, all).flatMap(({ source }) => (source.kind === 'column' ? [source] : []))
  const sizeTexts = columns.flatMap((source) => {
    const sizes = contractSizes(source)
    if (sizes.length === 0) return []
    return [entry.source.kind === 'column' ? text.contractSizes(sizes) : sizesText(source, sizes)]
  })
  return [...new Set(sizeTexts)]
}

const sizesText = ({ symbol, exchange }: ColumnSource, sizes: DatedSizes) =>
  text.contractSizesOf(symbol, exchange, sizes)

function filesText(files: NonNullable<ShownRows>['files'], mostHashes: number): string[] {
  const hashes = files.slice(0, mostHashes).map(({ sha256 }) => sha256.slice(0, 8))
  return [
    text.files(files.length),
    hashes.length > 0 ? text.hashes(hashes, files.length > mostHashes) : '',
    files.length > 0 ? text.fetched(Math.max(...files.map(({ fetchedAt }) => fetchedAt))) : '',
  ]
}
