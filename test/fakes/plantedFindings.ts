import { buildPanel, type LongRows, type Panel } from '#shared/lab/panel.ts'
import { parseStudy } from '#shared/lab/parseStudy.ts'
import { readyStudies } from '#shared/lab/readyStudies.ts'
import { runStudy } from '#shared/lab/runStudy.ts'
import type { EventStudy, SeasonalityStudy, Study } from '#shared/lab/studyDocument.ts'
import { studyRange } from '#shared/lab/studyRange.ts'
import { studentUpperQuantile } from '#shared/statistics/distributions.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { DailyMarket } from '../../electron/sandbox/market/daily.ts'
import { FALL_AFTER_WIDENING, FUNDING_RISE, HOURS_OF_FALL } from '../../electron/sandbox/market/plantedEffects.ts'
import { HOUR_MS } from './panelWorld.ts'

/** An effect of known size beside what a study says about it. */
export interface PlantedFinding {
  planted: number
  mean: number
  low: number
  high: number
  p: number
}

const readyStudy = (id: string): Study =>
  parseStudy(readyStudies.find((one) => one.id === id)?.document, { fromCache: true })

/** Builds the hourly closes of the symbols of a study from the market itself, without its trades, because those take minutes. */
function hourlyRows(seed: number, study: Study): LongRows {
  const market = new DailyMarket(seed)
  const names = study.source?.symbols ?? []
  const { startMs, endMs } = studyRange(study)
  const rows: { time: number; symbol: number; close: number; wide: number }[] = []
  names.forEach((name, symbol) => {
    const base = name.slice('perpetual-'.length, name.indexOf('-USDT'))
    for (let day = startMs / MS_PER_DAY; day < endMs / MS_PER_DAY; day++) {
      const wideHour = market.wideHour(base, day)
      for (let hour = 0; hour < 24; hour++) {
        const close = market.hourPrice(base, day, hour + 1)
        const time = day * MS_PER_DAY + hour * HOUR_MS
        if (!Number.isNaN(close)) rows.push({ time, symbol, close, wide: Number(hour === wideHour) })
      }
    }
  })
  const columns = new Map([
    ['ohlcv.close', Float64Array.from(rows, ({ close }) => close)],
    ['wide', Float64Array.from(rows, ({ wide }) => wide)],
  ])
  return {
    times: Float64Array.from(rows, ({ time }) => time),
    symbols: Int32Array.from(rows, ({ symbol }) => symbol),
    names,
    columns,
    member: null,
    otherColumns: [],
    columnNames: [...columns.keys()],
  }
}

function fundingFindings(study: SeasonalityStudy, panel: Panel): PlantedFinding[] {
  const result = runStudy({ study, panel, against: null })
  const cells = 'cells' in result ? result.cells : []
  return [FUNDING_RISE, -FUNDING_RISE].map((planted, at) => {
    const cell = cells.find(({ minutesToFunding }) => minutesToFunding === 120 - 60 * at)
    const { n = 0, mean = NaN, sd = NaN, p = NaN } = cell ?? {}
    const half = (studentUpperQuantile(n - 1) * Number(sd)) / Math.sqrt(n)
    return { planted, mean: Number(mean), low: Number(mean) - half, high: Number(mean) + half, p: Number(p) }
  })
}

function wideningFinding(study: EventStudy, panel: Panel): PlantedFinding {
  const result = runStudy({ study: { ...study, when: 'wide' }, panel, against: null })
  const path = 'events' in result ? result.path : []
  const point = path.find(({ offset }) => offset === HOURS_OF_FALL)
  const { mean, low, high, p } = point?.byTime ?? {}
  const orMissing = (value: number | null | undefined) => value ?? NaN
  return {
    planted: -FALL_AFTER_WIDENING,
    mean: orMissing(mean),
    low: orMissing(low),
    high: orMissing(high),
    p: orMissing(p),
  }
}

/** Runs the two ready-made studies whose effects are planted on the market of a seed. */
export function plantedFindings(seed: number) {
  const [season, events] = [readyStudy('funding-hours'), readyStudy('spread-widening')]
  const panel = buildPanel(hourlyRows(seed, season), studyRange(season))
  if (season.kind !== 'seasonality' || events.kind !== 'events') throw new Error('The ready-made studies have changed.')
  return { fundingHours: fundingFindings(season, panel), spreadWidening: wideningFinding(events, panel) }
}
