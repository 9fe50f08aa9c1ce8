import { calendarKeys } from '../../along/calendarKeys.ts'
import { timesByValue } from '../../along/cellCorrelations.ts'
import { AlongGuard } from '../../along/peeking.ts'
import { openTimes, readSymbol } from '../../along/symbolCells.ts'
import { estimateOf } from '../../samples.ts'
import { delayWarnings, type KindRun } from '../../studyInput.ts'
import { type StudyWarning, warning } from '../../studyWarnings.ts'
import { bucketsOf } from './buckets.ts'
import type { SeriesStudy } from './fields.ts'
import { horizonResult } from './horizon.ts'

type HorizonResult = ReturnType<typeof horizonResult>

interface SymbolResult {
  symbol: string
  coverage: ReturnType<typeof readSymbol>['coverage']
  horizons: HorizonResult[]
}

export function run({ study, panel, input, evaluate, onStage, checkpoint }: KindRun<SeriesStudy>) {
  const values = evaluate({ field: 'signal', formula: study.signal })
  const price = evaluate({ field: 'price', formula: study.price, isPrice: true })
  const calendar = calendarKeys(panel)
  const guard = new AlongGuard(study)
  const symbols = panel.symbols.map((_, place): SymbolResult => {
    checkpoint()
    onStage('horizons', place / panel.symbols.length)
    const cells = readSymbol(panel, { values, price }, place)
    const bySignal = timesByValue(openTimes(cells.isOpen), cells.values)
    const signal = { cells, bySignal, buckets: bucketsOf(cells, study, bySignal) }
    checkpoint()
    guard.add(cells, bySignal)
    const horizons = study.horizons.map((horizon, at) => {
      checkpoint()
      onStage('horizons', (place + at / study.horizons.length) / panel.symbols.length)
      const result = horizonResult(panel, study, calendar, signal, horizon, input.numberList ?? plainList)
      input.onHorizon?.(result)
      return result
    })
    return { symbol: cells.symbol, coverage: cells.coverage, horizons }
  })
  values.close()
  price.close()
  const warnings = [...delayWarnings(study.delayBars), ...guard.warnings(), ...ownWarnings(study, symbols)]
  return { result: { symbols, pooled: pooledOf(study, symbols) }, warnings }
}

const plainList = (numbers: Float64Array): number[] => Array.from(numbers)

/** Averages the information coefficients of several symbols; null for one. */
function pooledOf({ horizons }: SeriesStudy, symbols: readonly SymbolResult[]) {
  if (symbols.length < 2) return null
  return horizons.map((horizon, at) => {
    const coefficients = symbols.flatMap((one) => one.horizons[at].ic.nonOverlapping.spearman ?? [])
    const positive = coefficients.filter((coefficient) => coefficient > 0).length
    return {
      horizon,
      ...estimateOf(Float64Array.from(coefficients)),
      positive: coefficients.length === 0 ? null : positive / coefficients.length,
    }
  })
}

function ownWarnings({ bucketBy }: SeriesStudy, symbols: readonly SymbolResult[]): StudyWarning[] {
  const correlated = symbols.flatMap(({ horizons }) => horizons.flatMap(({ ic }) => (ic.all.n < 2 ? [] : [ic.all])))
  const isConstant = correlated.length > 0 && correlated.every(({ spearman }) => spearman === null)
  return [
    ...(isConstant ? [warning('no-variation', 'The signal, or the return, is equal along time.')] : []),
    ...(bucketBy === 'inSample' ? [warning('in-sample-buckets')] : []),
  ]
}
