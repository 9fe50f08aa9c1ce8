import { evaluateStudy, valueSectionOf } from '#shared/lab/inspectPanel.ts'
import { buildPanel, refuseTooLarge, studyBytes, timeAt } from '#shared/lab/panel.ts'
import { type SeasonalityKey, type SeasonalityStudy, seasonalityKeys } from '#shared/lab/kinds/seasonality/fields.ts'
import { parseStudy } from '#shared/lab/parseStudy.ts'
import { cellTest, runSeasonalityStudy } from '#shared/lab/kinds/seasonality/run.ts'
import { memoryPanel } from '#shared/lab/studyPanel.ts'
import { studyRange } from '#shared/lab/studyRange.ts'
import { neededBytes, neededDiskBytes, refuseLargeStudy } from '#shared/lab/studyMemory.ts'
import { refuseWithoutRoom } from '#core/lab/spill.ts'
import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { rowsOf } from '../../fakes/panelWorld.ts'

it.each(Object.keys(seasonalityKeys) as SeasonalityKey[])(
  'the symbols at the times of a cell by %s average to its mean',
  (by) => {
    const fields = { version: 1, kind: 'seasonality', interval: '1h', value: 'diff(a)', by }
    const study = parseStudy(fields, { fromCache: false }) as SeasonalityStudy
    const panel = memoryPanel(buildPanel(rowsOf({ seed: 4, symbols: 6, times: 400, gaps: 0.05 }), studyRange(study)))
    const matrices = evaluateStudy(panel, study)
    const [cell] = runSeasonalityStudy(panel, study, matrices.get('value')!).cells
    const times = Array.from({ length: panel.timeCount }, (_, at) => timeAt(panel, at)).filter(
      cellTest(by, cell, undefined),
    )
    const means = times.flatMap((timeMs) => {
      const section = valueSectionOf(panel, matrices, timeMs)
      expect(section.timeMs).toBe(timeMs)
      const used = section.rows.filter(({ reason }) => reason === 'used').map(({ signal }) => signal ?? NaN)
      return used.length === 0 ? [] : [used.reduce((sum, value) => sum + value, 0) / used.length]
    })
    expect(means).toHaveLength(cell.n)
    expect(means.reduce((sum, value) => sum + value, 0) / cell.n).toBeCloseTo(cell.mean ?? NaN, 12)
  },
)

it('says how much memory and disk space a study needs before it starts', () => {
  const fields = { version: 1, kind: 'signal', interval: '1m', signal: 'cs_rank(sma(a, 9)) - cs_rank(b)' }
  const size = { timeCount: 525_600, symbolCount: 500, columnCount: 3, intervalMs: 60_000 }
  const study = parseStudy(fields, { fromCache: false })
  expect(neededBytes(study, size)).toBeLessThan(0.75 * 2 ** 30)
  // The cells on disk are two calls across symbols, the signal, the price, one more argument and the flags of the rows.
  expect(neededDiskBytes(study, size)).toBe(525_600 * 500 * (1 + 8 * 5))
  expect(neededBytes(study, { ...size, timeCount: 8760, symbolCount: 300 })).toBe(studyBytes(8760 * 300, 3))
  expect(neededDiskBytes(study, { ...size, timeCount: 8760, symbolCount: 300 })).toBe(0)
  const horizons = Array.from({ length: 20 }, (_, at) => at + 1)
  const wide = parseStudy({ ...fields, quantiles: 20, horizons }, { fromCache: false })
  expect(() => refuseLargeStudy(wide, size)).toThrow(
    /^500 symbols × 525600 intervals over 365 days need about \d+\.\d GiB of memory; a study may take 4\.0 GiB\. /,
  )
  expect(() => refuseWithoutRoom(tmpdir(), 2 ** 60)).toThrow(
    /needs about 1073741824\.0 GiB of disk space .* GiB are free/,
  )
})

it('says how much memory a panel needs that is too large', () => {
  const year = { timeCount: 525_600, symbolCount: 500, columnCount: 2, intervalMs: 60_000 }
  expect(studyBytes(year.timeCount * year.symbolCount, year.columnCount)).toBeCloseTo(16.15 * 2 ** 30, -8)
  expect(() => refuseTooLarge(year)).toThrow(
    '500 symbols × 525600 intervals over 365 days need about 16.2 GiB of memory; a study may take 4.0 GiB.',
  )
})
