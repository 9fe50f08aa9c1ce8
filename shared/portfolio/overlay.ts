import { type DailySeries, rowOfDay, missingColumn, setCell, type DailyMatrix } from './dailySeries.ts'

const valueOn = ({ days, values, valid }: DailySeries, day: number): number | null => {
  const row = rowOfDay(days, day)
  return row < 0 || (valid && !valid[row]) ? null : values[row]
}

/** Multiplies weights by the overlay of the same day; the product is missing where the overlay is missing. */
export function scaleWeights(weights: DailyMatrix, overlay: DailySeries): DailyMatrix {
  const width = weights.tickers.length
  const scaled = missingColumn('scaled', weights.values.length)
  weights.days.forEach((day, row) => {
    const factor = valueOn(overlay, day)
    if (factor === null) return
    for (let at = row * width; at < (row + 1) * width; at++) {
      if (weights.valid[at]) setCell(scaled, at, weights.values[at] * factor)
    }
  })
  return { ...weights, values: scaled.values, valid: scaled.valid }
}

/**
 * Multiplies returns by the overlay of the previous day, because a day's return is earned with the weights held at its
 * start.
 */
export function scaleReturns(returns: DailySeries, overlay: DailySeries): DailySeries {
  const scaled = missingColumn('scaled', returns.days.length)
  returns.days.forEach((day, row) => {
    const factor = valueOn(overlay, day - 1)
    if (factor !== null && (!returns.valid || returns.valid[row])) setCell(scaled, row, returns.values[row] * factor)
  })
  return { days: returns.days, values: scaled.values, valid: scaled.valid }
}
