import { columnsNeeded } from '#shared/formula/resample.ts'
import type { Companion, Series, SeriesFunding } from '#shared/formula/series.ts'
import type { DatedSizes } from '#shared/units/contractSizes.ts'
import { unitWithAmounts } from '#shared/units/measureUnits.ts'
import { documentedColumn, splitColumn } from './cacheColumns.ts'
import { timeAt } from './panel.ts'
import type { ColumnRules } from './panelFormula.ts'
import type { StudyPanel } from './studyPanel.ts'

/** Unit of amounts of a cached symbol, and its contract sizes by date if the user gave any. */
interface SymbolFacts {
  name: string
  amountUnit: string
  contractSizes?: DatedSizes
  /** Funding periods, if a formula of the study needs them. */
  funding?: SeriesFunding
}

/**
 * Declares units and resampling rules for the columns of a panel from the cache, as the catalog documents them.
 * @param ownUnits units of columns of own datasets by name, null where none was said
 */
export function cacheRules(
  panel: Pick<StudyPanel, 'symbols' | 'series'>,
  symbols: readonly SymbolFacts[],
  ownUnits: ReadonlyMap<string, string | null> = new Map(),
): ColumnRules {
  const factsBySymbol = new Map(symbols.map((one) => [one.name, one]))
  const timesByGrid = new Map<string, Float64Array>()

  /** Lists the row starts of a series; series with the same grid share one array. */
  function timesOf({ intervalMs, firstSlot, values: { length } }: Series): { times: Float64Array; intervalMs: number } {
    const key = `${intervalMs} ${firstSlot} ${length}`
    const times =
      timesByGrid.get(key) ?? Float64Array.from({ length }, (_, row) => timeAt({ intervalMs, firstSlot }, row))
    timesByGrid.set(key, times)
    return { times, intervalMs }
  }

  return {
    rule(name, symbol) {
      const documented = documentedColumn(name)
      const series = panel.series(name, symbol)
      const ownUnit = ownUnits.get(name)
      if (series && ownUnit !== undefined)
        return {
          ...timesOf(series),
          values: series.values,
          valid: series.valid,
          ...(ownUnit !== null && { unit: ownUnit }),
        }
      const symbolFacts = factsBySymbol.get(panel.symbols[symbol])
      if (!documented || !series || !symbolFacts) return null
      const { dataset } = splitColumn(name) ?? { dataset: '' }
      const companions = columnsNeeded(documented.resample).flatMap((column): [string, Companion][] => {
        const rule = documentedColumn(`${dataset}.${column}`)?.resample
        const companion = panel.series(`${dataset}.${column}`, symbol)
        return rule && companion ? [[column, { values: companion.values, valid: companion.valid, resample: rule }]] : []
      })
      const { contractSizes, funding } = symbolFacts
      return {
        ...timesOf(series),
        values: series.values,
        valid: series.valid,
        unit: unitWithAmounts(documented.unit, symbolFacts.amountUnit),
        ...(contractSizes && { contractSizes }),
        ...(funding && { funding }),
        resample: documented.resample,
        companions: Object.fromEntries(companions),
      }
    },
  }
}
