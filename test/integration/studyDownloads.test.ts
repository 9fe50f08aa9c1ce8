import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readyStudies, readyTest } from '#shared/lab/readyStudies.ts'
import { cliSession } from '../fakes/cliSession.ts'

const carry = readyStudies.find(({ id }) => id === 'funding-carry')!

it.each([
  ['study', carry.document],
  ['tested portfolio', readyTest.document],
])('names the commands that download what a %s of an empty cache needs', async (_what, ready) => {
  const { runHere, dataDir } = await cliSession()
  const source = { ...(ready.source as object), symbols: ['perpetual-GRT-USDT:USDT', 'perpetual-ENJ-USDT:USDT'] }
  const path = join(dataDir, 'study.json')
  writeFileSync(path, JSON.stringify({ ...ready, source, start: '2026-07-01', end: '2026-07-31' }))
  const refused = await runHere(['study', 'run', path])
  expect(refused.status).toBe(1)
  expect(refused.stderr).toContain('The cache has no rows of ')
  const commands = refused.stderr.split('\n').filter((line) => line.startsWith('perpscope fetch '))
  expect(commands.length).toBeGreaterThan(0)
  for (const command of commands) {
    const fetched = await runHere(command.split(' ').slice(1))
    expect(fetched.status, fetched.stderr).toBe(0)
  }
  const { status, stderr } = await runHere(['study', 'run', path])
  expect(status, stderr).toBe(0)
})
