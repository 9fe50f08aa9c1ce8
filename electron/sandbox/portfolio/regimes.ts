/**
 * A classification of the whole market on each day, by the market's returns. A level must be crossed clearly before the
 * value changes, so that each value lasts a while.
 */

export interface Regime {
  id: string
  label: string
  /** Computes one value per day of `returns`; NaN for the first days. */
  valuesOf: (returns: ArrayLike<number>) => Float64Array
}

const fastDays = 20
const slowDays = 180
const trendDays = 50
/** Number of days before any regime is known. */
const warmUpDays = 60
/** Minimum length of a regime in days. */
const shortestStay = 7

function deviation(returns: ArrayLike<number>, i: number, window: number): number {
  const start = Math.max(0, i - window + 1)
  let squares = 0
  for (let j = start; j <= i; j++) squares += returns[j] * returns[j]
  return Math.sqrt(squares / (i - start + 1))
}

/**
 * Returns the next step of a staircase with hysteresis: exceeding `enterLevels[k]` leads from step k to k + 1, falling
 * below `leaveLevels[k]` leads back.
 */
function nextStep(step: number, level: number, enterLevels: readonly number[], leaveLevels: readonly number[]): number {
  let reached = step
  while (reached < enterLevels.length && level > enterLevels[reached]) reached++
  while (reached > 0 && level < leaveLevels[reached - 1]) reached--
  return reached
}

/** Computes values day by day, each kept for at least `shortestStay` days. */
function valuesByDay(count: number, valueAt: (i: number, before: number) => number, initial: number): Float64Array {
  const values = new Float64Array(count).fill(Number.NaN)
  let current = initial
  let daysInRegime = shortestStay
  for (let i = warmUpDays; i < count; i++) {
    const next = daysInRegime >= shortestStay ? valueAt(i, current) : current
    daysInRegime = next === current ? daysInRegime + 1 : 1
    current = next
    values[i] = current
  }
  return values
}

/** Classifies volatility as 0 calm, 1 elevated or 2 stressed, by comparing three weeks with half a year. */
function volatilityRegime(returns: ArrayLike<number>): Float64Array {
  const ratio = (i: number) => deviation(returns, i, fastDays) / deviation(returns, i, slowDays)
  return valuesByDay(returns.length, (i, before) => nextStep(before, ratio(i), [1.15, 1.6], [0.9, 1.2]), 0)
}

/** Classifies the trend as 1 rising, 0 sideways or −1 falling, by comparing the market with its 50-day mean. */
function trendRegime(returns: ArrayLike<number>): Float64Array {
  const logEquity = new Float64Array(returns.length)
  let sum = 0
  for (let i = 0; i < returns.length; i++) logEquity[i] = sum += Math.log1p(returns[i])
  const distanceFromMean = (i: number) => {
    let mean = 0
    for (let j = i - trendDays + 1; j <= i; j++) mean += logEquity[j] / trendDays
    return logEquity[i] - mean
  }
  return valuesByDay(
    returns.length,
    (i, before) => nextStep(before + 1, distanceFromMean(i), [0, 0.08], [-0.08, 0]) - 1,
    0,
  )
}

/** Computes the recommended risk: 1, or 0.5 if one of the two other regimes warns, or 0 if both do. */
function riskRegime(returns: ArrayLike<number>): Float64Array {
  const volatility = volatilityRegime(returns)
  const trend = trendRegime(returns)
  const levelAt = (i: number) => 1 - ((volatility[i] >= 1 ? 1 : 0) + (trend[i] < 0 ? 1 : 0)) / 2
  return valuesByDay(returns.length, levelAt, 1)
}

export const regimes: readonly Regime[] = [
  { id: 'market_volatility', label: '0 calm, 1 elevated, 2 stressed', valuesOf: volatilityRegime },
  { id: 'market_trend', label: '1 rising, 0 sideways, −1 falling', valuesOf: trendRegime },
  { id: 'market_risk', label: 'Risk to take: 1, 0.5 or 0', valuesOf: riskRegime },
]

export function findRegime(id: string): Regime | null {
  return regimes.find((regime) => regime.id === id) ?? null
}
