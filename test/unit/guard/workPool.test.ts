import { join } from 'node:path'
import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { createWorkPool } from '#core/guard/workPool.ts'
import { startNodeProcess } from '#core/guard/guardedProcess.ts'
import { createStudyRunner } from '#core/lab/studyRunner.ts'
import { parseStudy } from '#shared/lab/parseStudy.ts'

const entry = new URL('../../fakes/misbehavingGuarded.ts', import.meta.url)

function openProcesses(memoryBytes?: number) {
  const pool = createWorkPool<string, { pid: number }>(entry, {
    name: 'test',
    size: 1,
    startProcess: startNodeProcess,
    ...(memoryBytes !== undefined && { memoryBytes }),
  })
  onTestFinished(() => pool.close())
  return pool
}

test('a study gives the same answer in a process as on a thread, with the stages on the way', async () => {
  const data = join(import.meta.dirname, '..', '..', 'conformance', 'data', 'studies')
  const document: unknown = JSON.parse(readFileSync(join(data, 'studies', 'v06-planted.json'), 'utf8'))
  const task = {
    study: parseStudy(document, { fromCache: false }),
    rows: { path: join(data, 'panels', 'planted.csv') },
    against: null,
    panelOutPath: null,
    scratchFolder: '',
  }
  const answers = await Promise.all(
    [startNodeProcess, undefined].map(async (startProcess) => {
      const runner = createStudyRunner(null, startProcess)
      const stages: string[] = []
      const signal = new AbortController().signal
      const answer = await runner.run(task, { signal, onStage: (stage) => void stages.push(stage) })
      await runner.close()
      return { answer, stages: [...new Set(stages)] }
    }),
  )
  expect(answers[0]).toEqual(answers[1])
  expect(answers[0].answer).toHaveProperty('result')
  expect(answers[0].stages.length).toBeGreaterThan(2)
})

test('a process that dies fails its task alone, and the next one gets a fresh process', async () => {
  const pool = openProcesses()
  const { pid } = await pool.run('before')
  await expect(pool.run('abort')).rejects.toMatchObject({
    code: 'internal',
    detail: 'A worker process ended before its task was done.',
  })
  expect((await pool.run('after')).pid).not.toBe(pid)
})

test('a task beyond its budget of memory says so, and the app goes on', async () => {
  const pool = openProcesses(400 * 2 ** 20)
  await expect(pool.run('memory')).rejects.toMatchObject({
    code: 'too-large',
    detail: expect.stringContaining('Choose fewer symbols or days'),
  })
  await pool.run('after')
})

test('a cancelled task rejects at once', async () => {
  const pool = openProcesses()
  const stop = new AbortController()
  const running = pool.run('forever', stop.signal)
  stop.abort(new Error('enough'))
  await expect(running).rejects.toThrow('enough')
  await pool.run('after')
})
