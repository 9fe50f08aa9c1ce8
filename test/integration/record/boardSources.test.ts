import { expect, onTestFinished, test } from 'vitest'
import { createApp } from '#core/app.ts'
import { lastDays, withParameters } from '#shared/contract/playbooks/parameters.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { fakeHost, fakePorts } from '../../fakes/fakePorts.ts'

test('parts of a board follow the saved documents that they show, also in its report, and keep their charts', async () => {
  const app = createApp(fakePorts(), { version: '0', dataDir: dataFolder() })
  onTestFinished(() => app.close())
  const client = app.clientFor(fakeHost())
  const queryOf = (sql: string) => ({ version: 1 as const, sql, parameters: {} })
  const { id } = await client.call('documents.create', { kind: 'query', name: 'Q', document: queryOf('SELECT 1 AS a') })
  const source = { kind: 'query', id } as const
  const content = await client.call('boards.content', { source })
  expect(content).toEqual({ kind: 'sql', name: 'Q', sql: 'SELECT 1 AS a', parameters: {} })
  await client.call('documents.save', { kind: 'query', id, document: queryOf('SELECT 2 AS a'), revision: 1 })
  await client.call('documents.rename', { kind: 'query', id, name: 'Renamed' })

  const chart = { kind: 'bar', x: 'a', y: 'a', split: '' } as const
  const part = { id: 'one', columns: 4, rows: 4, content: { ...content, chart } as never }
  const gone = { kind: 'study', id: 'gone' } as const
  const board = {
    version: 1 as const,
    parts: [{ ...part, source }, part, { ...part, source: gone }],
  }
  const now = await client.call('boards.followed', { document: board })
  const changed = { kind: 'sql', name: 'Renamed', sql: 'SELECT 2 AS a', parameters: {}, chart }
  expect(now.parts.map((each) => each.content)).toEqual([changed, part.content, part.content])
  const { parts } = (await app.reports()).boardQuery('B', board, '') as { parts: unknown[] }
  expect(parts).toEqual([changed, part.content, part.content])
})

test('a part that a board is made anew with follows its source no longer, and one that stays the same does', () => {
  const study = (start: string) => ({
    kind: 'study',
    document: { exchange: 'alpha', start },
    panel: null,
    against: null,
  })
  const source = { kind: 'study', id: 's' } as const
  const place = { id: 'one', columns: 4, rows: 4, source }
  const nowMs = Date.UTC(2026, 8, 1)
  const { start, end } = lastDays(30, nowMs)
  const same = { ...place, content: { kind: 'text', markdown: 'Note' } }
  const board = {
    version: 1,
    parameters: { venue: 'alpha', days: 30 },
    parts: [{ ...place, content: study(start) }, same],
  }
  const [other, kept] = withParameters(board as never, { venue: 'beta' }, nowMs).parts
  expect(other).toMatchObject({ content: { document: { exchange: 'beta', start, end } } })
  expect([other.source, kept.source]).toEqual([undefined, source])
})
