/** Samples by which a signal study is scored: those of its first horizon that do not overlap and have a rank IC. */
import { MS_PER_DAY, parseInterval } from '#shared/time.ts'
import type { DayNumber } from '#shared/time/periods.ts'
import type { SignalStudy } from '../kinds/signal/fields.ts'
import type { ResultOf } from '../runStudy.ts'

export interface SignalSample {
  day: DayNumber
  exitDay: DayNumber
  ic: number
}

/** Lists the samples in time order; their phase is that of the whole grid. */
export function signalSamples(
  { interval, delayBars, horizons: [horizon] }: SignalStudy,
  result: ResultOf<'signal'>,
): SignalSample[] {
  const intervalMs = (parseInterval(interval) ?? NaN) * 1000
  const { times, rank } = result.horizons[0].series
  return Array.from(times).flatMap((time, at) => {
    const ic = rank[at]
    if ((time - times[0]) % (horizon * intervalMs) !== 0 || ic === null || Number.isNaN(ic)) return []
    const exitMs = time + (delayBars + horizon) * intervalMs
    return [{ day: Math.floor(time / MS_PER_DAY), exitDay: Math.floor(exitMs / MS_PER_DAY), ic }]
  })
}
