import { type Panel, timeAt } from '../panel.ts'
import { type DailyValues, lastBefore } from '../universe.ts'
import type { ExposureScale } from '../kinds/portfolio/fields.ts'

/**
 * Computes the factor that scales the target weights at each time. It comes from the last value of an overlay or regime
 * dated before the UTC day of the time: the value itself, or the factor that `scale` gives for the number of cuts that
 * the value reaches. Before the first value the factor is 1.
 */
export function exposureFactors(panel: Panel, { days, values }: DailyValues, scale: ExposureScale['scale']) {
  return Float64Array.from({ length: panel.timeCount }, (_, time) => {
    const at = lastBefore(days, timeAt(panel, time))
    if (at < 0) return 1
    const value = values[at]
    return scale === 'value' ? value : scale.factors[scale.cuts.filter((cut) => cut <= value).length]
  })
}
