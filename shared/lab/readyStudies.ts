import type { LabKind } from './kinds.ts'
import { ready as clocks } from './kinds/clocks/ready.ts'
import { ready as costs } from './kinds/costs/ready.ts'
import { ready as blend } from './kinds/blend/ready.ts'
import { ready as events } from './kinds/events/ready.ts'
import { ready as leadlag } from './kinds/leadlag/ready.ts'
import { ready as portfolio } from './kinds/portfolio/ready.ts'
import { type ReadyGround, readyGround, type ReadyPlace, type ReadyStudy } from './kinds/readyGround.ts'
import { ready as schedule } from './kinds/schedule/ready.ts'
import { ready as screen } from './kinds/screen/ready.ts'
import { ready as seasonality } from './kinds/seasonality/ready.ts'
import { ready as series } from './kinds/series/ready.ts'
import { ready as signal } from './kinds/signal/ready.ts'
import { ready as spells } from './kinds/spells/ready.ts'

const readyByKind: Record<LabKind, (ground: ReadyGround) => ReadyStudy[]> = {
  signal,
  events,
  leadlag,
  seasonality,
  schedule,
  costs,
  clocks,
  series,
  spells,
  screen,
  portfolio,
  blend,
}

/** Ready-made studies that the Lab offers. Each runs on the sandbox once its files are downloaded. */
interface ReadyStudies {
  studies: readonly ReadyStudy[]
  /** A ready-made tested portfolio: funding carry, with costs from served data. */
  test: ReadyStudy
}

/** Builds the ready-made studies on a connection. */
export function readyStudiesOn(place: ReadyPlace): ReadyStudies {
  const { portfolio: tests, ...studies } = readyByKind
  const ground = readyGround(place)
  return { studies: Object.values(studies).flatMap((ready) => ready(ground)), test: tests(ground)[0] }
}

/**
 * Restricts a formula to the symbols with the largest notional volume of the previous 30 days, as known at each time;
 * elsewhere the result is missing. `cs_rank` gives r = (i − 0.5)/n for the i-th of n symbols, and the mean of r² gives
 * n, because Σ(i − 0.5)²/n³ = 1/3 − 1/(12 n²).
 * @param bars number of rows in 30 days
 */
export function withTopByVolume(formula: string, count: number, bars: number): string {
  const rankFormula = `cs_rank(-sma(ohlcv.volume_notional, ${bars}, ${Math.ceil(bars / 2)}))`
  const meanSquareFormula = `(${rankFormula} ^ 2 - cs_demean(${rankFormula} ^ 2))`
  return `(${formula}) / (${rankFormula} < ${count} * sqrt(4 - 12 * ${meanSquareFormula}))`
}
