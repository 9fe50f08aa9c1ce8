import { type StudyGrid, timeAt } from '../../panel.ts'
import type { SpellsStudy } from './fields.ts'

interface MoveInput {
  /** Times of the used cells, ascending. */
  times: Int32Array
  returns: Float64Array
  /** Flags of the times within spells. */
  isInside: Uint8Array
  /** Values of the signal while the symbol is a member; null if there is none. */
  signal: Float64Array | null
}

/** Lists the largest moves of which none begins within the bars of another, the largest first. */
export function sharpestMoves(
  grid: StudyGrid,
  { sharpest, sharpestHorizon }: SpellsStudy,
  { times, returns, isInside, signal }: MoveInput,
) {
  const taken: number[] = []
  const largestFirst = times.slice().sort((a, b) => Math.abs(returns[b]) - Math.abs(returns[a]) || a - b)
  for (const time of largestFirst) {
    if (taken.length === sharpest) break
    if (taken.every((other) => Math.abs(other - time) >= sharpestHorizon)) taken.push(time)
  }
  return taken.map((time) => ({
    time: timeAt(grid, time),
    r: returns[time],
    inSpell: isInside[time] === 1,
    signal: signal && lastPresent(signal, time),
  }))
}

/** Returns the last value at or before a time; null if there is none. */
function lastPresent(values: Float64Array, time: number): number | null {
  for (let at = time; at >= 0; at--) if (values[at] === values[at]) return values[at]
  return null
}
