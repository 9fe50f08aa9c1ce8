import { join } from 'node:path'
import { readFileSync } from 'node:fs'
import type { LabTask, PackedAnswer } from '#core/lab/labWorker.ts'
import { unpackLists } from '#core/lab/packedResult.ts'
import { createStudyRunner } from '#core/lab/studyRunner.ts'
import { threadEntry } from '#core/threads/threadEntry.ts'
import { createThreadPool } from '#core/threads/threadPool.ts'
import { parseStudy } from '#shared/lab/parseStudy.ts'
import { type StudyStage, studyStages } from '#shared/lab/studyInput.ts'
import { afterAll, expect, it } from 'vitest'

const data = join(import.meta.dirname, '..', 'conformance', 'data', 'studies')
const document: unknown = JSON.parse(readFileSync(join(data, 'studies', 'v06-planted.json'), 'utf8'))
const task = {
  study: parseStudy(document, { fromCache: false }),
  rows: { path: join(data, 'panels', 'planted.csv') },
  against: null,
  panelOutPath: null,
  scratchFolder: '',
}
const runner = createStudyRunner(null)
afterAll(() => runner.close())

const whole = runner.run(task, { signal: new AbortController().signal, onStage: () => undefined })

it.each(['rows', 'formulas', 'horizons', 'guards'] satisfies StudyStage[])(
  'a study that is cancelled at %s does no work of a later stage for its caller, and the next one runs',
  async (stage) => {
    const expected = await whole
    const controller = new AbortController()
    const reports: StudyStage[] = []
    const running = runner.run(task, {
      signal: controller.signal,
      onStage(reached) {
        reports.push(reached)
        if (reached === stage) controller.abort(new Error('enough'))
      },
    })
    await expect(running).rejects.toThrow('enough')
    expect(reports.filter((reached) => reached === stage)).toHaveLength(1)
    expect(reports.every((reached) => studyStages.indexOf(reached) <= studyStages.indexOf(stage))).toBe(true)
    const next = await runner.run(task, { signal: new AbortController().signal, onStage: () => undefined })
    expect(next).toEqual(expected)
  },
)

it('the thread of a study ends it by itself once it is cancelled, without being terminated', async () => {
  const runnerUrl = new URL('../../electron/core/lab/studyRunner.ts', import.meta.url).href
  const pool = createThreadPool<LabTask, PackedAnswer>(threadEntry('labWorker', runnerUrl), 1)
  try {
    const cancelFlag = new Int32Array(new SharedArrayBuffer(4))
    const running = pool.run({ ...task, cancelFlag })
    Atomics.store(cancelFlag, 0, 1)
    await expect(running).rejects.toMatchObject({ code: 'cancelled' })
    Atomics.store(cancelFlag, 0, 0)
    const answer = await pool.run({ ...task, cancelFlag })
    expect('packed' in answer && { result: unpackLists(answer.packed) }).toEqual(await whole)
  } finally {
    await pool.close()
  }
})
