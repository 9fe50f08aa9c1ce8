import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PortfolioStudy } from '#shared/lab/kinds/portfolio/fields.ts'
import type { Panel } from '#shared/lab/panel.ts'
import { chooseFolds } from '#shared/lab/portfolio/walkForward.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { expect } from 'vitest'
import { studyDifferences } from '../conformance/compareStudies.ts'
import { HOUR_MS, randomOf } from '../fakes/panelWorld.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
import { provePython } from './peer.ts'

const reading = readFileSync(join(import.meta.dirname, 'foldReading.py'), 'utf8')

/** 29 February 2024, so that ranges cross a leap day and the ends of years. */
const LEAP_DAY = Date.UTC(2024, 1, 29) / MS_PER_DAY

/** Draws rules and daily returns: few days, more folds than days, returns that start late, are constant or none. */
function oddFolds(seed: number) {
  const random = randomOf(seed)
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)]
  const days = pick([1, 2, 5, 17, 60, 366])
  const firstDay = LEAP_DAY - pick([0, 1, 59, 365])
  const intervalMs = pick([HOUR_MS, 4 * HOUR_MS, 8 * HOUR_MS, MS_PER_DAY])
  const rules = {
    folds: pick([1, 2, 4, 7, 100]),
    train: pick(['past', 'around'] as const),
    embargoDays: pick([0, 1, 10]),
    purgeBars: pick([1, 3, 24, 25, 100]),
  }
  const grid = Array.from({ length: pick([1, 3, 6]) }, (_, place) => {
    const late = Math.min(days, pick([0, 0, 1, 9]))
    const returnOf = pick([() => 0.02 * (random() - 0.5), () => 0.02 * (random() - 0.5), () => 0.001])
    const net = Array.from({ length: days - late }, returnOf)
    return { parameters: { n: place - 1 }, firstDay: firstDay + late, net }
  })
  return { firstDay, days, intervalMs, rules, grid: [...grid, { ...grid[0], parameters: { n: 99 } }] }
}

function foldsHere({ firstDay, days, intervalMs, rules, grid }: ReturnType<typeof oddFolds>) {
  const slotsPerDay = MS_PER_DAY / intervalMs
  const panel = { intervalMs, firstSlot: firstDay * slotsPerDay, timeCount: days * slotsPerDay }
  const purgeDays = Math.ceil((rules.purgeBars * intervalMs) / MS_PER_DAY)
  return chooseFolds(
    { riskFree: 0 } as PortfolioStudy,
    { ...rules, lookbackBars: null, purgeDays },
    panel as Panel,
    grid.map((one) => ({ ...one, net: Float64Array.from(one.net) })),
  )
}

provePython('pandas', 'the folds of two hundred odd walk-forwards are those of NumPy', async (python) => {
  const folder = temporaryFolder()
  const cases = Array.from({ length: 200 }, (_, seed) => oddFolds(seed))
  writeFileSync(join(folder, 'cases.json'), JSON.stringify(cases))
  const program = `${reading}
print(json.dumps([folds_of(case) for case in json.load(open("cases.json", encoding="utf-8"))]))`
  const theirs = (await python(program, folder)) as unknown[]
  cases.forEach((one, seed) => expect(studyDifferences(theirs[seed], foldsHere(one)), `seed ${seed}`).toEqual([]))
})
