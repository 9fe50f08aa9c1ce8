import { evaluateStudy, valueSectionOf } from '#shared/lab/inspectPanel.ts'
import { buildPanel, refuseTooLarge, studyBytes, timeAt } from '#shared/lab/panel.ts'
import { parseStudy } from '#shared/lab/parseStudy.ts'
import { isInCell, studySeasonality } from '#shared/lab/seasonalityStudy.ts'
import { seasonalityKeys, type SeasonalityStudy } from '#shared/lab/studyDocument.ts'
import { studyRange } from '#shared/lab/studyRange.ts'
import { expect, it } from 'vitest'
import { rowsOf } from '../../fakes/panelWorld.ts'

it.each(seasonalityKeys)('the symbols at the times of a cell by %s average to its mean', (by) => {
  const fields = { version: 1, kind: 'seasonality', interval: '1h', value: 'diff(a)', by }
  const study = parseStudy(fields, { fromCache: false }) as SeasonalityStudy
  const panel = buildPanel(rowsOf({ seed: 4, symbols: 6, times: 400, gaps: 0.05 }), studyRange(study))
  const matrices = evaluateStudy(panel, study)
  const [cell] = studySeasonality(panel, study, matrices.get('value')!).cells
  const times = Array.from({ length: panel.times }, (_, at) => timeAt(panel, at)).filter((at) => isInCell(by, cell, at))
  const means = times.flatMap((timeMs) => {
    const section = valueSectionOf(panel, matrices, timeMs)
    expect(section.timeMs).toBe(timeMs)
    const used = section.rows.filter(({ reason }) => reason === 'used').map(({ signal }) => signal ?? NaN)
    return used.length === 0 ? [] : [used.reduce((sum, value) => sum + value, 0) / used.length]
  })
  expect(means).toHaveLength(cell.n)
  expect(means.reduce((sum, value) => sum + value, 0) / cell.n).toBeCloseTo(cell.mean ?? NaN, 12)
})

it('says how much memory a study needs that is too large', () => {
  const year = { times: 525_600, symbols: 500, columns: 2, intervalMs: 60_000 }
  expect(studyBytes(year.times * year.symbols, year.columns)).toBeCloseTo(16.15 * 2 ** 30, -8)
  expect(() => refuseTooLarge(year)).toThrow(
    '500 symbols × 525600 intervals over 365 days need about 16.2 GiB of memory; a study may take 4.0 GiB.',
  )
})
