import {
  coveredBars,
  type FundingPeriods,
  type FundingStretch,
  LONGEST_FUNDING_MS,
  periodAt,
  withinRange,
} from '#shared/funding/fundingPeriods.ts'
import { ratesDue } from '#shared/funding/ratesDue.ts'
import { intervalName, MS_PER_HOUR } from '#shared/time.ts'
import { divideUnits, NO_UNIT, parseUnit } from '#shared/units/measureUnits.ts'
import { type CallArguments, firstUnit, fixedUnit, type FormulaFunction, optional, series } from './formulaFunction.ts'
import { type Series, withRows } from './series.ts'

const HOURS_A_YEAR = 365 * 24

/** Functions that go by the funding period of the instrument whose column they are given. */
export const fundingFunctions: readonly FormulaFunction[] = [
  {
    name: 'fundinghours',
    parameters: [optional(series('x'))],
    description:
      'Funding period in hours at the time of the row, of the instrument of x or, without x, of the formula’s series; missing where it is not known',
    example: 'fundinghours(a)',
    readsFunding: true,
    unit: fixedUnit('hours'),
    apply: (call) => byPeriod(call, ({ everyMs }) => everyMs / MS_PER_HOUR),
  },
  {
    name: 'annual',
    parameters: [series('x')],
    description:
      'Funding rate x as a simple rate a year: x times 8760 over the hours that the rate refers to; missing where the funding period is not known',
    example: 'annual(a)',
    readsFunding: true,
    unit: ({ units: [unit] }) => divideUnits(unit ?? NO_UNIT, parseUnit('year')),
    apply: (call) => byPeriod(call, ({ ratePerMs }, x) => x * (HOURS_A_YEAR / (ratePerMs / MS_PER_HOUR))),
  },
  {
    name: 'settled',
    parameters: [series('x')],
    description:
      'What a long pays by the funding rate x, at the rows that hold a funding time: the last x since the funding time before, or their sum where a row holds several; missing at all other rows and where the funding period is not known',
    example: 'settled(a)',
    readsFunding: true,
    looksBackMs: LONGEST_FUNDING_MS,
    purges: (_numbers, fundingRows) => fundingRows ?? 'start',
    unit: firstUnit,
    apply: settledRates,
  },
]

/** Computes each row from its value and the period at its time. */
function byPeriod(call: CallArguments, compute: (period: FundingStretch, x: number) => number): Series {
  const [x] = call.series
  const { intervalMs, firstSlot } = x
  const rows = x.values.length
  const values = new Float64Array(rows)
  const valid = new Uint8Array(rows)
  let period: FundingStretch | null = null
  let knownRows = 0
  let unknownRows = 0
  for (let row = 0; row < rows; row++) {
    if (x.valid && !x.valid[row]) continue
    const timeMs = (firstSlot + row) * intervalMs
    if (!period || timeMs >= period.endMs) period = periodAt(periodsOf(call), timeMs)
    if (period) knownRows++
    else unknownRows++
    const value = period ? compute(period, x.values[row]) : NaN
    if (!Number.isFinite(value)) continue
    values[row] = value
    valid[row] = 1
  }
  reportUnknown(call, knownRows, unknownRows)
  return withRows(x, { values, valid })
}

const periodsOf = ({ funding }: CallArguments): FundingPeriods => funding?.periods ?? []

function settledRates(call: CallArguments): Series {
  const [x] = call.series
  const { intervalMs, firstSlot, valid } = x
  const timeCount = x.values.length
  const grid = { intervalMs, firstSlot, timeCount }
  const periods = periodsOf(call)
  const shortestMs = Math.min(
    ...withinRange(periods, { startMs: firstSlot * intervalMs, endMs: (firstSlot + timeCount) * intervalMs }).map(
      ({ everyMs }) => everyMs,
    ),
  )
  if (shortestMs < intervalMs)
    call.note(
      `settled: a row of ${intervalName(intervalMs)} holds several funding times; take rates of ${intervalName(shortestMs)} or shorter`,
    )
  const isKnown = coveredBars(periods, grid)
  const knownRows = isKnown.reduce((count, known) => count + known, 0)
  reportUnknown(call, knownRows, isKnown.filter((known, row) => !known && valid?.[row] !== 0).length)
  const due = ratesDue(grid, periods, x)
  return withRows(x, { values: due.values, valid: due.valid.map((isValid, row) => (due.times[row] > 0 ? isValid : 0)) })
}

/** Says that the funding period of the instrument is not known at some of the rows. */
function reportUnknown({ funding, note, unknownFunding }: CallArguments, knownRows: number, unknownRows: number): void {
  if (unknownRows === 0 || !funding) return
  const { exchange, symbol } = funding
  const extent = knownRows === 0 ? 'so values are missing' : 'in part of the range, where values are missing'
  note(`the funding period of ${symbol} on ${exchange} is not known${knownRows === 0 ? ', ' : ' '}${extent}`)
  unknownFunding({ exchange, symbol })
}
