import { hourOf } from '../../calendar.ts'
import { memberValues } from '../../memberValues.ts'
import { correlate } from '../../pairs.ts'
import { timeAt } from '../../panel.ts'
import { meanOf, quantileOf } from '../../samples.ts'
import type { KindRun } from '../../studyInput.ts'
import type { StudyMatrix } from '../../studyPanel.ts'
import type { CostStudy } from './fields.ts'

const BPS = 1e4
const HOURS = 24

export function run({ study, panel, evaluate, onStage, checkpoint }: KindRun<CostStudy>) {
  const evaluateOptional = (field: string, formula: string | null): StudyMatrix | null =>
    formula === null ? null : evaluate({ field, formula })
  const spread = evaluate({ field: 'spreadBps', formula: study.spreadBps })
  const impact = evaluateOptional('impact', study.impact)
  const measured = evaluateOptional('measured', study.measured)
  const hours = Uint8Array.from({ length: panel.timeCount }, (_, time) => hourOf(timeAt(panel, time)))
  onStage('calendar', 0)
  const symbols = panel.symbols.map((symbol, at) => {
    checkpoint()
    onStage('calendar', at / panel.symbols.length)
    const { attrition, ...cells } = usedCells({
      hours,
      spread: memberValues(panel, spread, at),
      impact: impact && impact.symbol(at),
      measured: measured && measured.symbol(at),
    })
    return {
      symbol,
      attrition,
      curve: study.notionals.map((notional) => {
        checkpoint()
        return { notional, ...describe(costsOf(cells, notional), curveQuantiles) }
      }),
      byHour: costsByHour(cells, study.reference),
      calibration: study.measured === null ? null : calibrate(cells, study),
    }
  })
  return { result: { symbols }, warnings: [] }
}

/** The cells of a symbol whose cost is known. */
interface CostCells {
  hours: Uint8Array
  /** Half of the spread, in basis points. */
  halfSpread: Float64Array
  /** Return per unit of notional, 0 without a formula; null where the study has none. */
  impact: Float64Array | null
  /** Measured cost beyond the best quote, NaN where there is none. */
  measured: Float64Array | null
}

interface SymbolSeries {
  hours: Uint8Array
  spread: ReturnType<typeof memberValues>
  impact: Float64Array | null
  measured: Float64Array | null
}

/** Keeps the cells with a spread and an impact, and counts the others by what they lack. */
function usedCells({ hours, spread: { values: spread, attrition: all }, impact, measured }: SymbolSeries) {
  const attrition = { cells: all.cells, notMember: all.notMember, noSpread: all.noValue, noImpact: 0, used: 0 }
  const places = new Int32Array(all.used)
  for (let time = 0; time < spread.length; time++) {
    // A missing value fails every comparison; that of a missing spread is counted already.
    if (spread[time] < 0) attrition.noSpread++
    else if (spread[time] >= 0 && impact && !(impact[time] >= 0)) attrition.noImpact++
    else if (spread[time] >= 0) places[attrition.used++] = time
  }
  const used = places.subarray(0, attrition.used)
  const halfSpread = pick(spread, used)
  for (let at = 0; at < halfSpread.length; at++) halfSpread[at] /= 2
  return {
    attrition,
    hours: pick(hours, used),
    halfSpread,
    impact: impact && pick(impact, used),
    measured: measured && pick(measured, used),
  }
}

/** Cost of a trade of a size at each cell, in basis points. */
function costsOf({ halfSpread, impact }: CostCells, notional: number): Float64Array {
  const costs = halfSpread.slice()
  if (impact) for (let at = 0; at < costs.length; at++) costs[at] += BPS * impact[at] * notional
  return costs
}

const curveQuantiles = { median: 0.5, q25: 0.25, q75: 0.75, q95: 0.95 }
const hourQuantiles = { q05: 0.05, q25: 0.25, median: 0.5, q75: 0.75, q95: 0.95 }

/** Number, mean and quantiles of values. */
function describe<Name extends string>(values: Float64Array, shares: Readonly<Record<Name, number>>) {
  return { n: values.length, mean: meanOf(values), ...quantilesOf(values, shares) }
}

function quantilesOf<Name extends string>(values: Float64Array, shares: Readonly<Record<Name, number>>) {
  const ascending = values.slice().sort()
  const entries = (Object.keys(shares) as Name[]).map((name) => [name, quantileOf(ascending, shares[name])])
  return Object.fromEntries(entries) as Record<Name, number | null>
}

function costsByHour(cells: CostCells, notional: number) {
  const costs = costsOf(cells, notional)
  const counts = new Int32Array(HOURS)
  for (const hour of cells.hours) counts[hour]++
  const lists = Array.from(counts, (count) => new Float64Array(count))
  counts.fill(0)
  cells.hours.forEach((hour, at) => (lists[hour][counts[hour]++] = costs[at]))
  return lists.flatMap((values, hour) =>
    values.length === 0 ? [] : [{ hour, n: values.length, ...quantilesOf(values, hourQuantiles) }],
  )
}

/** Compares the modelled cost of the reference size with what was measured beyond the best quote. */
function calibrate(cells: CostCells, { reference }: CostStudy) {
  const { measured, halfSpread, impact } = cells
  const costs = costsOf(cells, reference)
  const places = placesWith(measured)
  const n = places.length
  const [modelled, paid, errors, misses, implied] = Array.from({ length: 5 }, () => new Float64Array(n))
  for (let at = 0; at < n; at++) {
    const place = places[at]
    const beyond = measured![place]
    modelled[at] = costs[place]
    paid[at] = beyond + halfSpread[place]
    errors[at] = modelled[at] - paid[at]
    misses[at] = Math.abs(errors[at])
    implied[at] = Math.max(0, beyond) / (BPS * reference)
  }
  return {
    n,
    bias: meanOf(errors),
    meanAbsoluteError: meanOf(misses),
    spearman: correlate(modelled, paid).spearman,
    impliedImpact: quantileOf(implied.sort(), 0.5),
    medianImpact: impact && quantileOf(pick(impact, places).sort(), 0.5),
  }
}

/** Lists the places that have a value. */
function placesWith(values: Float64Array | null): Int32Array {
  const places = new Int32Array(values?.length ?? 0)
  let count = 0
  for (let at = 0; at < places.length; at++) if (!Number.isNaN(values![at])) places[count++] = at
  return places.subarray(0, count)
}

/** Takes the values at some places; faster than `from`, which boxes each value first. */
function pick<Values extends Float64Array | Uint8Array>(values: Values, places: Int32Array): Values {
  const picked = new (values.constructor as new (length: number) => Values)(places.length)
  for (let at = 0; at < places.length; at++) picked[at] = values[places[at]]
  return picked
}
