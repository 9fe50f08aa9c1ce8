import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readyStudiesOn } from '#shared/lab/readyStudies.ts'
import { cliSession, type CliSession, type EndedCommand } from '../fakes/cliSession.ts'

const { studies, test: readyTest } = readyStudiesOn({ venue: 'venuea-futures', nowMs: Date.UTC(2026, 7, 15) })
const carry = studies.find(({ id }) => id === 'funding-carry')!

/** Writes a study of these symbols; returns its path. */
function studyOf(ready: Record<string, unknown>, folder: string, symbols: string[], changed: object = {}): string {
  const source = { ...(ready.source as object), symbols, ...changed }
  const path = join(folder, 'study.json')
  writeFileSync(path, JSON.stringify({ ...ready, source, start: '2026-07-01', end: '2026-07-31' }))
  return path
}

async function runCommands(runHere: CliSession['runHere'], { stderr }: EndedCommand): Promise<void> {
  const commands = stderr.split('\n').filter((line) => line.startsWith('perpscope fetch '))
  expect(commands.length).toBeGreaterThan(0)
  for (const command of commands) {
    const fetched = await runHere(command.split(' ').slice(1))
    expect(fetched.status, fetched.stderr).toBe(0)
  }
}

it.each([
  ['study', carry.document],
  ['tested portfolio', readyTest.document],
])(
  'says of a symbol that does not exist that it is unknown, in a %s of an empty cache and beside known ones',
  async (_what, ready) => {
    const { runHere, dataDir } = await cliSession()
    const refused = await runHere(['study', 'run', studyOf(ready, dataDir, ['perpetual-GRTT-USDT:USDT'])])
    expect(refused.status).toBe(1)
    const unknown =
      '“perpetual-GRTT-USDT:USDT” is not a symbol on venuea-futures. Did you mean perpetual-GRT-USDT:USDT?'
    expect(refused.stderr).toContain(unknown)
    expect(refused.stderr).not.toContain('perpscope fetch')
    expect(refused.stderr).not.toContain('can be downloaded')

    const path = studyOf(ready, dataDir, [
      'perpetual-GRTT-USDT:USDT',
      'perpetual-GRT-USDT:USDT',
      'perpetual-ENJ-USDT:USDT',
    ])
    await runCommands(runHere, await runHere(['study', 'run', path]))
    const { status, stderr } = await runHere(['study', 'run', path])
    expect([status, stderr]).toEqual([0, expect.stringContaining(unknown)])
  },
)

it.each([
  ['study', carry.document],
  ['tested portfolio', readyTest.document],
])('names the commands that download what a %s of an empty cache needs', async (_what, ready) => {
  const { runHere, dataDir } = await cliSession()
  const path = studyOf(ready, dataDir, ['perpetual-GRT-USDT:USDT', 'perpetual-ENJ-USDT:USDT'])
  const refused = await runHere(['study', 'run', path])
  expect(refused.status).toBe(1)
  expect(refused.stderr).toContain('The cache has no rows of ')
  await runCommands(runHere, refused)
  const { status, stderr } = await runHere(['study', 'run', path])
  expect(status, stderr).toBe(0)
})

it.each([
  ['study', carry.document],
  ['tested portfolio', readyTest.document],
])('says which venue a mistyped one of a %s may be, whether it is run, read or registered', async (_what, ready) => {
  const { runHere, dataDir } = await cliSession()
  const typo = studyOf(ready, dataDir, ['perpetual-GRT-USDT:USDT'], { exchanges: ['venuea-futurs'] })
  const says = '“venuea-futurs” is not among the venues of this connection. Did you mean venuea-futures?'
  for (const command of [
    ['run', typo],
    ['panel', typo, '--out', join(dataDir, 'rows.csv')],
    ['register', typo, '--expect', 'up'],
  ]) {
    const { stderr } = await runHere(['study', ...command])
    expect(stderr.split(says), command[0]).toHaveLength(2)
  }
  const right = studyOf(ready, dataDir, ['perpetual-GRT-USDT:USDT'])
  expect((await runHere(['study', 'run', right])).stderr).not.toContain('is not among the venues')
})

it('begins a document with the last full months that the connection has, where its coverage is known', async () => {
  const { runHere, sandbox } = await cliSession({ nowMs: Date.UTC(2026, 4, 20) })
  await runHere(['connection', 'edit', 'desk', '--catalog', sandbox.catalogUrl])
  const range = async () => (await runHere(['study', 'new', 'signal', '--json'])).lines[0]
  expect(await range()).not.toMatchObject({ end: '2026-04-30' })
  const covered = await runHere(['coverage', '--refresh', '--dataset', 'trades', '--json'])
  expect(covered.status, covered.stderr).toBe(0)
  expect(await range()).toMatchObject({ start: '2026-02-01', end: '2026-04-30' })
})
