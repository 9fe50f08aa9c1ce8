import { expect, it } from 'vitest'
import { calibrate, type CountedTest } from '#shared/lab/forward/calibration.ts'
import { computeCalibration } from '#core/record/calibrationPart.ts'
import { createSourceFiles } from '#core/record/sourceFiles.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'

const points = Array.from({ length: 12 }, (_, at): CountedTest => {
  const common = { isTrial: true, days: 90 + at, recordedDays: 400, registered: at % 2 === 0, deflated: 0.9 }
  return { sequence: at + 1, family: `family-${at % 3}`, recorded: at / 4, forward: at / 8 - 0.5, ...common }
})

it('says what tests promised and what came, and replays from the same tests after more were scored', async () => {
  const dataDir = dataFolder()
  const sources = createSourceFiles(openTestStore(dataDir), dataDir)
  const clock = { nowMs: () => Date.UTC(2026, 10, 30) } as never
  const done: string[] = []
  const service = {
    update: () => Promise.resolve(void done.push('update') as never),
    calibration: () => Promise.resolve({ ...calibrate(points), points }),
  }
  const context = { connectionId: 'desk', signal: new AbortController().signal }
  const deps = { clock, sources, forward: () => Promise.resolve(service) }
  const made = await computeCalibration(deps, { ...context, replayedSources: null })
  expect(done).toEqual(['update'])
  const text = JSON.stringify(made.parts)
  expect(text).toContain('Tests with a recorded Sharpe ratio higher by 1 had a forward one higher by 0.50')
  const tests = made.parts.find((part) => part.title === 'Tests that count')
  expect(tests?.kind === 'table' && tests.rows.length).toBe(12)

  const later = { ...deps, forward: () => Promise.reject(new Error('a replay asks for nothing of now')) }
  const replayed = await computeCalibration(later, { ...context, replayedSources: made.sources })
  expect(replayed.parts).toEqual(made.parts)
})
