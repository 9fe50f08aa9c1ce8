import { TIMES_PER_CHECKPOINT } from '#shared/lab/checkpoint.ts'
import { buildPanel } from '#shared/lab/panel.ts'
import { parseStudy } from '#shared/lab/parseStudy.ts'
import { runStudy } from '#shared/lab/runStudy.ts'
import type { StudyStage } from '#shared/lab/studyInput.ts'
import { memoryPanel } from '#shared/lab/studyPanel.ts'
import { studyRange } from '#shared/lab/studyRange.ts'
import { describe, expect, it } from 'vitest'
import { rowsOf } from '../../fakes/panelWorld.ts'

const TIMES = 4 * TIMES_PER_CHECKPOINT
const SYMBOLS = 6
const rows = rowsOf({ seed: 11, symbols: SYMBOLS, times: TIMES, gaps: 0.02 })
const blocks = TIMES / TIMES_PER_CHECKPOINT

/** Studies of every kind with the smallest number of checkpoints in each stage: one per block of rows or per symbol. */
const studies: { fields: object; least: Partial<Record<StudyStage, number>> }[] = [
  {
    fields: { kind: 'signal', signal: 'sma(cs_rank(a), 4)', horizons: [1, 4] },
    least: { formulas: 2 * SYMBOLS + 2 * blocks, horizons: 3 * blocks },
  },
  {
    fields: { kind: 'events', when: 'a > 1', before: 2, after: 3 },
    least: { formulas: 2 * SYMBOLS, events: blocks + 6 },
  },
  { fields: { kind: 'leadlag', value: 'a', maxLag: 2 }, least: { pairs: SYMBOLS + (SYMBOLS * (SYMBOLS - 1)) / 2 } },
  { fields: { kind: 'seasonality', value: 'a', by: 'hour' }, least: { formulas: SYMBOLS, calendar: blocks } },
  { fields: { kind: 'schedule', value: 'a' }, least: { formulas: SYMBOLS, calendar: SYMBOLS - 1 } },
  { fields: { kind: 'costs', spreadBps: 'abs(a)' }, least: { formulas: SYMBOLS, calendar: 4 * SYMBOLS } },
]

describe.each(studies)('a running study of $fields', ({ fields, least }) => {
  const study = parseStudy({ version: 1, interval: '1h', ...fields }, { fromCache: false })
  const panel = memoryPanel(buildPanel(rows, studyRange(study)))

  function run(cancelAt = Infinity) {
    const checked: StudyStage[] = []
    let stage: StudyStage = 'rows'
    const checkpoint = () => {
      checked.push(stage)
      if (checked.length > cancelAt) throw new Error('enough')
    }
    const work = () => runStudy({ study, panel, against: null, checkpoint }, (reached) => (stage = reached))
    return { work, checked }
  }

  it('asks whether it is cancelled once for some rows of every stage', () => {
    const { work, checked } = run()
    work()
    for (const [stage, count] of Object.entries(least)) {
      expect(checked.filter((one) => one === stage).length, stage).toBeGreaterThanOrEqual(count)
    }
  })

  it('ends at once wherever it is cancelled', () => {
    const { work, checked } = run()
    work()
    for (let at = 0; at < checked.length; at++) {
      const cancelled = run(at)
      expect(cancelled.work).toThrow('enough')
      expect(cancelled.checked).toHaveLength(at + 1)
    }
  })
})
