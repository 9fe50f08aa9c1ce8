import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'
import { runInProcess } from '../../fakes/runInProcess.ts'

const days = Array.from({ length: 40 }, (_, day) => new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10))

test('the tear sheet of a blend is a report that replays, and a saved blend runs on schedule', async () => {
  const dataDir = dataFolder()
  const perpscope = (...args: string[]) => runInProcess(dataDir, ...args)
  const place = (name: string) => join(dataDir, name)
  const csv = (head: string, cell: (day: number, ticker: number) => number) => [
    head,
    ...days.flatMap((day, at) => ['AAA', 'BBB'].map((name, ticker) => `${day},${name},${cell(at, ticker)}`)),
  ]
  writeFileSync(place('prices.csv'), csv('date,ticker,price', (day, t) => 100 + Math.sin(day + 2 * t)).join('\n'))
  writeFileSync(place('weights.csv'), csv('date,ticker,value', (day, t) => (t === 0 ? 1 : -1) + day / 99).join('\n'))
  await perpscope('portfolio', 'own', 'add', 'mine', place('prices.csv'))
  const component = { from: { file: 'weights.csv' }, weight: 1, shape: 'asIs' }
  const blend = { version: 1, kind: 'blend', name: 'Mine', start: days[0], end: days.at(-1), prices: 'mine' }
  writeFileSync(place('blend.json'), JSON.stringify({ ...blend, components: [component] }))
  expect(await perpscope('study', 'run', place('blend.json'))).toMatchObject({ status: 0 })
  const [{ id }] = JSON.parse((await perpscope('study', 'list', '--json')).stdout) as { id: string }[]

  const report = place('blend.html')
  const made = await perpscope('report', 'tearsheet', '--portfolio', `blend:${id}`, '--out', report)
  expect(made).toMatchObject({ status: 0 })
  expect(readFileSync(report, 'utf8')).toContain(`blend:${id}`)
  expect((await perpscope('replay', report)).stdout).toMatch(/^0 differences\n/)

  // “schedule run” blends a saved study anew, beside the sets and the checks; the Lab then shows its answer.
  writeFileSync(place('kept.csv'), csv('date,ticker,weight', (day, t) => (t === 0 ? 0.5 : -0.5) + day / 999).join('\n'))
  await perpscope('portfolio', 'own', 'add', 'kept', place('kept.csv'))
  const { documents, studyAnswers } = openTestStore(dataDir)
  const study = { ...blend, name: 'Kept', components: [{ from: { weights: 'kept' } }] }
  const saved = documents.study.create('Kept', { version: 1, study, panel: null })
  expect(await perpscope('schedule', 'run', '--study', 'Kept')).toMatchObject({ status: 0 })
  expect(studyAnswers.read(saved.id)).not.toBeNull()
  const unknown = await perpscope('schedule', 'run', '--study', 'Ket')
  expect(unknown.status).not.toBe(0)
  expect(unknown.stderr).toContain('Did you mean “Kept”?')

  const smoothed = await perpscope(
    'report',
    'tearsheet',
    '--portfolio',
    `blend:${id}`,
    '--smoothing',
    '5',
    '--out',
    'x',
  )
  expect(smoothed).toMatchObject({ status: 2 })
})
