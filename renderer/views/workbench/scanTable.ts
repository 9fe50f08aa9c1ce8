import { symbolColumn, type TableColumn } from '#shared/sheet/columns.ts'
import type { LabDocument } from '#shared/contract/areas/lab.ts'
import type { ScannedFormula, SeriesScan } from '#shared/contract/areas/series.ts'
import { type Column, columnOf, type Frame } from '#shared/contract/frame.ts'
import { dayOf } from '#shared/time.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import { UNIT_UNKNOWN } from '#shared/units/measureUnits.ts'
import { kindOfUnit } from '#shared/units/numberKinds.ts'
import { symbolLabel } from '#shared/workspace/columnLabels.ts'
import { displayUnit } from '#shared/workspace/displayUnit.ts'
import type { ColumnSource } from '#shared/workspace/workspaceSchema.ts'
import { workbenchText } from '../../text/workbench.ts'
import type { ChartedColumn } from './chartModel.ts'
import { isRelative } from './compareItems.ts'

const { columns: t } = workbenchText.scan

/** A rate of funding is shown in bps, as everywhere; null for what is shown in its own unit. */
const displayOf = ({ kind, unit }: ChartedColumn) => (kind === 'rate' ? displayUnit('bps', kind, unit) : null)

/** Figures of a scan in the unit of the scanned column. */
const ownFigures: readonly string[] = ['value', 'change', 'first', 'min', 'max']

/**
 * Adds to a scan what the table shows besides its figures: asset names, and the index of each row's sparkline. Null if
 * the scan has no column of symbols.
 */
export function scanFrame(scanned: Frame, facts: ChartedColumn): Frame | null {
  const symbols = columnOf(scanned, 'symbol')
  if (symbols?.kind !== 'text') return null
  const assets = { ...symbols, name: 'asset', dictionary: symbols.dictionary.map(symbolLabel) }
  // Sparklines are found by the index of their row in the answer.
  const rowIndexes = Float64Array.from({ length: scanned.rows }, (_, row) => row)
  return {
    rows: scanned.rows,
    columns: [
      assets,
      ...scanned.columns.map((column) => inShownUnit(column, displayOf(facts)?.factor)),
      { name: 'spark', kind: 'number' as const, values: rowIndexes, valid: null },
    ],
  }
}

function inShownUnit(column: Column, factor = 1): Column {
  if (factor === 1 || column.kind !== 'number' || !ownFigures.includes(column.name)) return column
  return { ...column, values: Float64Array.from(column.values, (value) => value * factor) }
}

const sequentialHeat = { scale: 'sequential' as const }
const zHeat = { scale: 'diverging' as const, leastReach: 2 }

function formulaColumns({ name, formula, unit, unitWarnings, problem }: ScannedFormula, at: number): TableColumn[] {
  const hint = [formula, ...(problem === null ? unitWarnings : [problem])].join('. ')
  const kind = kindOfUnit(unit) ?? 'statistic'
  const keyOf = (part: string) => `formula${at}.${part}`
  return [
    {
      key: keyOf('value'),
      title: name,
      kind,
      ...(problem === null && { unit: unit ?? UNIT_UNKNOWN }),
      hint,
      heat: sequentialHeat,
    },
    { key: keyOf('z'), title: t.zOf(name), kind: 'figure', hint: t.zHint, heat: zHeat },
    {
      key: keyOf('percentile'),
      title: t.percentileOf(name),
      kind: 'percentFigure',
      look: 'bar',
      hint: t.percentileHint,
    },
  ]
}

/** Lists the columns of a scan; levels such as prices have no heat, in which the largest alone would stand out: the scanned metric, its position in its own history, and the formula columns. */
export function scanTableColumns(
  facts: ChartedColumn,
  statistic: 'moment' | 'mean',
  formulas: readonly ScannedFormula[],
): TableColumn[] {
  const { kind, unit } = displayOf(facts) ?? facts
  const title = statistic === 'mean' ? t.mean(facts.label) : facts.label
  return [
    { key: 'asset', title: t.asset, kind: 'text', widthPx: 110 },
    { key: 'value', title, kind, unit, widthPx: 150, ...(!isRelative(kind) && { heat: sequentialHeat }) },
    { key: 'spark', title: t.spark, kind: 'text', widthPx: 150, sortable: false, format: () => '' },
    { key: 'change', title: t.change, kind, unit, hint: t.changeHint },
    { key: 'z', title: t.z, kind: 'figure', hint: t.zHint, heat: zHeat },
    { key: 'percentile', title: t.percentile, kind: 'percentFigure', look: 'bar', hint: t.percentileHint },
    ...formulas.flatMap(formulaColumns),
    { key: 'first', title: t.first, kind, unit },
    { key: 'min', title: t.min, kind, unit },
    { key: 'max', title: t.max, kind, unit },
    { key: 'time', title: t.time, kind: 'time' },
    { key: 'count', title: t.count, kind: 'count' },
    { key: 'missing', title: t.missing, kind: 'count' },
    symbolColumn,
  ]
}

/** Lists the symbols of a venue that a scan lacks because none of their files in the range are cached. */
export function missingSymbols(listed: readonly string[], { frame }: SeriesScan): string[] {
  const found = columnOf(frame, 'symbol')
  const scannedSymbols = new Set(found?.kind === 'text' ? found.dictionary : [])
  return listed.filter((symbol) => !scannedSymbols.has(symbol))
}

/** Creates a signal study of the scanned symbols, with the metric as signal over the range of the scan. */
export const studyOfScan = (
  { dataset, column, exchange, interval, timestamp }: ColumnSource,
  symbols: readonly string[],
  { startMs, endMs }: TimeRange,
): LabDocument['study'] => ({
  version: 1,
  kind: 'signal',
  interval,
  start: dayOf(startMs),
  end: dayOf(Math.max(startMs, endMs - 1)),
  source: { exchanges: [exchange], symbols: [...symbols], universe: null, timestamp, against: null },
  signal: `${dataset}.${column}`,
  horizons: [1, 4, 24],
})
