import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createApp } from '#core/app.ts'
import type { CallInput } from '#shared/contract/calls.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { fakeHost, fakePorts } from '../../fakes/fakePorts.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const RECIPE = 'own/flows.own.json'
const rows = 'when;coin;net\n2026-07-01T00:00Z;BTC;1\n2026-07-01T01:00Z;BTC;2\n2026-07-01T02:00Z;BTC;3\n'
const choices = { time: 'when', symbol: 'coin', knownAfter: '20m', units: { net: 'quote' } }

/** Opens an app with a data folder of its own, as one person of a team would. */
function person() {
  const app = createApp(fakePorts(), { version: '9.8.7', dataDir: dataFolder() })
  onTestFinished(() => app.close())
  const client = app.clientFor(fakeHost())
  const sql = async () => {
    const ran = await client.call('sql.run', { sql: 'SELECT net, epoch_us(known_at) FROM own.flows', parameters: {} })
    if ('problem' in ran) throw new Error(ran.problem.message)
    return (await client.call('sql.rows', { result: ran.opened.id, from: 0, to: 9 })).frame
  }
  return {
    client,
    use: (folder: string) => client.call('folder.use', { folder }),
    look: async () => (await client.call('folder.list', {})).documents.filter(({ kind }) => kind === 'own'),
    add: (input: Partial<CallInput<'data.add'>>) => client.call('data.add', { name: 'flows', ...choices, ...input }),
    show: () => client.call('data.show', { name: 'flows' }),
    refresh: (paths: string[] = []) => client.call('data.refresh', { name: 'flows', paths }),
    sql,
    async resolve(choice: 'mine' | 'file' | 'both') {
      const { seen } = await client.call('folder.compare', { kind: 'own', id: 'flows' })
      return client.call('folder.resolve', { kind: 'own', id: 'flows', choice, seen })
    },
  }
}

/** Writes a file as it was a while ago, so that the app does not wait for further changes to it. */
function write(path: string, text: string): void {
  writeFileSync(path, text)
  const before = new Date(Date.now() - 10_000 - Math.random() * 1000)
  utimesSync(path, before, before)
}

const replaceIn = (folder: string, from: string, to: string) => {
  const text = readFileSync(join(folder, RECIPE), 'utf8')
  expect(text).toContain(from)
  write(join(folder, RECIPE), text.replace(from, to))
}

/** A folder with the files of a dataset in it, which one person made and keeps there. */
async function team() {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'rows'))
  write(join(folder, 'rows', 'a.csv'), rows)
  const one = person()
  await one.use(folder)
  await one.add({ paths: [join(folder, 'rows')] })
  await one.look()
  return { folder, one }
}

test('the folder has how a dataset is made, not its rows, and another machine makes it of the same files', async () => {
  const { folder, one } = await team()
  expect(JSON.parse(readFileSync(join(folder, RECIPE), 'utf8'))).toEqual({
    format: 'perpscope own dataset',
    name: 'flows',
    document: { version: 1, paths: ['rows'], ...choices, events: false },
  })
  expect(await one.look()).toMatchObject([{ name: 'flows', file: RECIPE, state: 'ok' }])

  const two = person()
  await two.use(folder)
  expect(await two.show()).toMatchObject({ rows: 0, kind: 'regular', interval: null, knownAfter: '20m', files: [] })
  await expect(two.sql()).rejects.toMatchObject({ detail: /rows of own_flows are not on this machine.*data refresh/ })
  expect(await two.refresh()).toEqual({
    name: 'flows',
    paths: [join(folder, 'rows')],
    added: 3,
    changed: 0,
    removed: 0,
  })
  expect(await two.show()).toMatchObject({ rows: 3, interval: '1h', columns: [{ name: 'net', unit: 'quote' }] })
  expect(await two.look()).toMatchObject([{ state: 'ok' }])
})

test('a recipe that changed in the folder touches no row until the next refresh', async () => {
  const { folder, one } = await team()
  const before = await one.show()
  replaceIn(folder, '"knownAfter": "20m"', '"knownAfter": "2d"')
  expect(await one.look()).toMatchObject([{ state: 'ok' }])
  expect(await one.show()).toEqual({ ...before, newRecipe: true })
  await one.refresh()
  expect(await one.show()).toEqual({ ...before, knownAfter: '2d' })

  replaceIn(folder, '"knownAfter": "2d"', '"knownAfter": "soon"')
  await one.look()
  await expect(one.refresh()).rejects.toMatchObject({ detail: /“soon” is not a duration/ })
  expect(await one.show()).toMatchObject({ rows: 3, knownAfter: '2d', newRecipe: true })
})

test('files that are elsewhere on another machine are named once, and stay there when the recipe changes', async () => {
  const { folder, one } = await team()
  const elsewhere = join(temporaryFolder(), 'mine.csv')
  write(elsewhere, rows)
  await one.refresh([elsewhere])
  await one.look()
  expect(readFileSync(join(folder, RECIPE), 'utf8')).toContain(JSON.stringify(elsewhere))
  replaceIn(folder, JSON.stringify(elsewhere), '"/not/on/this/machine.csv"')
  replaceIn(folder, '"net": "quote"', '"net": "price"')
  await one.look()
  await one.refresh()
  expect(await one.show()).toMatchObject({ files: [{ path: elsewhere }], columns: [{ name: 'net', unit: 'price' }] })
})

test('both sides changed is a conflict, which either choice ends without touching the rows', async () => {
  for (const [choice, after] of [
    ['mine', { knownAfter: '20m' }],
    ['file', { knownAfter: '20m', newRecipe: true }],
  ] as const) {
    const { folder, one } = await team()
    replaceIn(folder, '"knownAfter": "20m"', '"knownAfter": "1d"')
    write(join(folder, 'moved.csv'), rows)
    await one.refresh([join(folder, 'moved.csv')])
    expect(await one.look()).toMatchObject([{ state: 'conflict', conflict: 'changed' }])
    const before = await one.sql()
    await one.resolve(choice)
    expect(await one.look()).toMatchObject([{ state: 'ok' }])
    expect(await one.show()).toMatchObject(after)
    expect(await one.sql()).toEqual(before)
  }
})

test('a file that is gone removes no rows, and a dataset that is removed takes its recipe along', async () => {
  const { folder, one } = await team()
  rmSync(join(folder, RECIPE))
  expect(await one.look()).toMatchObject([{ state: 'conflict', conflict: 'file-removed' }])
  await expect(one.resolve('file')).rejects.toMatchObject({ detail: /own_flows has rows here; .*data remove flows/ })
  expect(await one.show()).toMatchObject({ rows: 3 })
  await one.resolve('mine')
  expect(existsSync(join(folder, RECIPE))).toBe(true)
  await one.client.call('data.remove', { name: 'flows' })
  expect(await one.look()).toEqual([])
  expect(existsSync(join(folder, RECIPE))).toBe(false)
})

test.each([
  ['a name that no dataset can have', (text: string) => text.replace('"flows"', '"Flows!"'), /“Flows!”/],
  ['paths that are none', (text: string) => text.replace(/"paths": \[[^\]]*\]/, '"paths": [1]'), /paths/],
  ['an unknown field', (text: string) => text.replace('"events"', '"evnts"'), /evnts/],
  ['half a file', (text: string) => text.slice(0, 80), /cut off/],
])('a recipe with %s is named, and changes nothing', async (_what, broken, says) => {
  const { folder, one } = await team()
  const before = await one.show()
  write(join(folder, RECIPE), broken(readFileSync(join(folder, RECIPE), 'utf8')))
  expect(await one.look()).toMatchObject([{ state: 'broken', detail: says }])
  expect(await one.show()).toEqual(before)
})
