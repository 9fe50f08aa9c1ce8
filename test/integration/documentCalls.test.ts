import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { CallInput } from '#shared/contract/calls.ts'
import { documentKindNames } from '#shared/contract/documents/kindNames.ts'
import { emptyDocument } from '#shared/workspace/workspace.ts'
import { createApp } from '#core/app.ts'
import { augustSet } from '../contract/examples.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { fakeHost, fakePorts } from '../fakes/fakePorts.ts'

function openWindow() {
  const dataDir = dataFolder()
  const app = createApp(fakePorts(), { version: '9.8.7', dataDir })
  onTestFinished(() => app.close())
  const host = fakeHost()
  return { app, dataDir, host, client: app.clientFor(host) }
}

const inputs: CallInput<'documents.create'>[] = [
  { kind: 'workspace', name: ' Basis ', document: emptyDocument() },
  {
    kind: 'set',
    name: ' Basis ',
    document: { ...augustSet('sandbox'), name: 'Basis' },
  },
  {
    kind: 'list',
    name: ' Basis ',
    document: { version: 1, symbols: [{ exchange: 'venuea-futures', symbol: 'BTC', group: null }] },
  },
  { kind: 'study', name: ' Basis ', document: { version: 1, study: { version: 1, kind: 'signal' }, panel: null } },
  { kind: 'query', name: ' Basis ', document: { version: 1, sql: 'SELECT 1', parameters: {} } },
  { kind: 'board', name: ' Basis ', document: { version: 1, parts: [] } },
  {
    kind: 'check',
    name: ' Basis ',
    document: { connectionId: 'sandbox', rule: { kind: 'sql', sql: 'SELECT 1' } },
  },
]

test('there is an example of every kind', () =>
  expect(inputs.map(({ kind }) => kind).toSorted()).toEqual(documentKindNames.toSorted()))

test.each(inputs)('a $kind is made, listed, saved, renamed and removed, and windows hear of each', async (input) => {
  const { client } = openWindow()
  const { kind, document } = input
  const heard: string[] = []
  client.on('documents.changed', (changed) => heard.push(changed.kind))

  const { id, name, revision } = await client.call('documents.create', input)
  expect(name).toBe('Basis')
  const saved = await client.call('documents.save', { kind, id, document, revision } as CallInput<'documents.save'>)
  expect(saved.revision).toBe(revision + 1)
  const renamed = await client.call('documents.rename', { kind, id, name: 'Funding' })
  expect(await client.call('documents.list', { kind })).toMatchObject([{ id: renamed.id, name: 'Funding' }])
  const opened = await client.call('documents.read', { kind, id: renamed.id })
  expect(opened).toMatchObject({ id: renamed.id, name: 'Funding', document })
  await client.call('documents.remove', { kind, id: renamed.id })
  expect(await client.call('documents.list', { kind })).toEqual([])
  expect(heard).toEqual([kind, kind, kind, kind])
})

test.each([
  ['workspace', 'Basis.perpscope'],
  ['list', 'Basis.csv'],
  ['study', 'Basis.study.json'],
  ['query', 'Basis.sql'],
  ['board', 'Basis.board.json'],
] as const)('a %s is saved as %s, from which it comes back', async (kind, fileName) => {
  const { app, client, host, dataDir } = openWindow()
  const { document } = inputs.find((each) => each.kind === kind)!
  await client.call('documents.export', { kind, name: 'Basis', document } as CallInput<'documents.export'>)
  const [{ name, text }] = host.saved
  expect(name).toBe(fileName)
  writeFileSync(join(dataDir, name), text)
  await app.receiveFiles([join(dataDir, name)])
  const [file] = await client.call('files.received', {})
  const imported = await client.call('documents.import', { kind, file: file.id })
  expect(imported.name).toBe('Basis')
  expect(JSON.stringify(imported.document)).toContain(kind === 'study' ? '"kind":"signal"' : JSON.stringify(document))
})
