import { columnUnit, commonUnit, parseUnit, unitText } from '#shared/units/measureUnits.ts'
import type { CheckedQuery, ResultColumn } from './sqlTask.ts'

export interface ColumnUnit {
  /** Null where no document names one. */
  unit: string | null
  /** Set where the column puts two units together. */
  warning: string | null
}

/** A table that the query reads, and the venues whose files it reads there. */
export interface UnitSource {
  dataset: string
  exchanges: readonly string[]
}

const UNKNOWN: ColumnUnit = { unit: null, warning: null }

/** Tells the unit of each column of a result, as far as the query shows from which columns it is made. */
export function resultUnits(
  { lineage, groupsByExchange }: CheckedQuery,
  columns: readonly ResultColumn[],
  sources: readonly UnitSource[],
): ColumnUnit[] {
  if (lineage.length !== columns.length || lineage.includes(null))
    return columns.map(({ name, kind }) => (kind === 'number' ? unitOf([name], false, sources, false) : UNKNOWN))
  return columns.map(({ kind }, at) => {
    const made = lineage[at]
    return made && kind === 'number' ? unitOf(made.columns, made.isExpression, sources, groupsByExchange) : UNKNOWN
  })
}

function unitOf(
  names: readonly string[],
  isExpression: boolean,
  sources: readonly UnitSource[],
  isByExchange: boolean,
): ColumnUnit {
  const byColumn = names.map((column) => [
    ...new Set(
      sources.flatMap(({ dataset, exchanges }) =>
        exchanges.flatMap((exchange) => columnUnit(dataset, column, exchange) ?? []),
      ),
    ),
  ])
  const mixed = byColumn.filter((units) => units.length > 1)
  if (mixed.length > 0 && isExpression && !isByExchange)
    return { unit: null, warning: unitText(commonUnit(mixed[0].map(parseUnit))) }
  // A column by itself keeps the unit of its row's venue.
  const units = isExpression || byColumn.length !== 1 ? [] : byColumn[0]
  return { unit: units.length === 0 ? null : units.join(' or '), warning: null }
}
