import { columnsNeeded } from '#shared/formula/resample.ts'
import type { Companion, SeriesInput } from '#shared/formula/series.ts'
import { unitAt } from '#shared/units/measureUnits.ts'
import { documentedColumn, splitColumn } from './cacheColumns.ts'
import { type Panel, timeAt } from './panel.ts'
import type { ColumnRules } from './panelFormula.ts'

/** Venue of a symbol of the cache, and its contract size if the person gave it. */
export interface RuledSymbol {
  name: string
  exchange: string
  contractSize?: number
}

/** Declares the units and resampling rules of the columns of a panel from the cache, as the catalog documents them. */
export function cacheRules(panel: Panel, symbols: readonly RuledSymbol[]): ColumnRules {
  const bySymbol = new Map(symbols.map((one) => [one.name, one]))
  const timesOfGrid = new Map<string, Float64Array>()

  /** Lists the starts of the rows of a column, once for each grid. */
  function timesOf(name: string): { times: Float64Array; intervalMs: number } {
    const grid = panel.columns.get(name)?.grid ?? { ...panel, rows: panel.times }
    const key = `${grid.intervalMs} ${grid.firstSlot} ${grid.rows}`
    const known =
      timesOfGrid.get(key) ?? Float64Array.from({ length: grid.rows }, (_, row) => timeAt({ ...panel, ...grid }, row))
    timesOfGrid.set(key, known)
    return { times: known, intervalMs: grid.intervalMs }
  }

  function valuesOf(name: string, symbol: number): Pick<SeriesInput, 'values' | 'valid'> | null {
    const column = panel.columns.get(name)
    if (!column) return null
    const rows = column.grid?.rows ?? panel.times
    const [from, to] = [symbol * rows, (symbol + 1) * rows]
    return { values: column.values.subarray(from, to), valid: column.valid.subarray(from, to) }
  }

  return {
    rule(name, symbol) {
      const documented = documentedColumn(name)
      const values = valuesOf(name, symbol)
      const venue = bySymbol.get(panel.symbols[symbol])
      if (!documented || !values || !venue) return null
      const { dataset } = splitColumn(name) ?? { dataset: '' }
      const companions = columnsNeeded(documented.resample).flatMap((column): [string, Companion][] => {
        const rule = documentedColumn(`${dataset}.${column}`)?.resample
        const own = valuesOf(`${dataset}.${column}`, symbol)
        return rule && own ? [[column, { ...own, resample: rule }]] : []
      })
      const { contractSize } = venue
      return {
        ...timesOf(name),
        ...values,
        unit: unitAt(documented.unit, venue.exchange),
        ...(contractSize !== undefined && { contractSize }),
        resample: documented.resample,
        companions: Object.fromEntries(companions),
      }
    },
  }
}
