import { expect, test } from 'vitest'
import { requestOfSet } from '#shared/contract/areas/downloads.ts'
import { createApp } from '#core/app.ts'
import { downloadWorld, hourly } from '../../fakes/downloadWorld.ts'
import { fakeHost } from '../../fakes/fakePorts.ts'

const { startDay: _, endDay: __, ...selection } = hourly
const set = { ...selection, name: 'Morning', start: { lastDays: 3 } }

test('a set brings in what is new each time it is asked for', async () => {
  const { client, until, list, clock } = await downloadWorld()
  await client.call('downloads.saveSet', { set })
  expect(await client.call('downloads.enqueueSet', { name: 'morning' })).toMatchObject({ files: 3, added: 3 })
  await until(({ counts }) => counts.done === 3)
  const fetched = (await list()).map(({ period }) => period).sort()
  expect(await client.call('downloads.enqueueSet', { name: 'Morning' })).toMatchObject({ files: 0, added: 0 })
  clock.advance(86_400_000)
  await client.call('downloads.enqueueSet', { name: 'Morning' })
  await until(({ counts }) => counts.done === 5)
  const now = (await list()).map(({ period }) => period)
  expect(new Set(now).size).toBe(4)
  expect(now).toContain(fetched.at(-1))
})

test('sets belong to a connection, keep one per name, and go with the connection', async () => {
  const { client, connectionId, clock } = await downloadWorld({ standsBy: true })
  const first = await client.call('downloads.saveSet', { set })
  expect(first).toMatchObject({ connectionId, name: 'Morning', savedAt: expect.any(Number), enqueuedAt: null })
  clock.advance(1000)
  await client.call('downloads.saveSet', { set: { ...set, name: 'MORNING', start: { day: '2026-09-01' } } })
  await client.call('downloads.saveSet', { set: { ...set, name: 'Other' } })
  const sets = await client.call('downloads.sets', {})
  expect(sets.map(({ name, start }) => ({ name, start }))).toEqual([
    { name: 'MORNING', start: { day: '2026-09-01' } },
    { name: 'Other', start: { lastDays: 3 } },
  ])
  expect(await client.call('downloads.sets', { connectionId: 'sandbox' })).toEqual([])
  await client.call('downloads.removeSet', { name: 'other' })
  expect(await client.call('downloads.sets', {})).toHaveLength(1)
  await expect(client.call('downloads.enqueueSet', { name: 'Other' })).rejects.toMatchObject({ code: 'not-found' })
  await client.call('connections.remove', { id: connectionId })
  await expect(client.call('downloads.sets', { connectionId })).rejects.toMatchObject({ code: 'not-found' })
})

test('other processes hear of a set', async () => {
  const { ports, dataDir, client } = await downloadWorld({ standsBy: true })
  const other = createApp(ports, { version: '0', dataDir, watchEveryMs: 20 })
  const heard = new Promise<void>((resolve) => other.clientFor(fakeHost()).on('documents.changed', () => resolve()))
  await client.call('downloads.saveSet', { set })
  await heard
  await other.close()
})

test('a set that begins in the future asks for its first day', () => {
  const fields = { ...set, connectionId: '', kind: 'metrics' as const, start: { day: '2027-01-01' } }
  expect(requestOfSet(fields, '2026-11-20')).toMatchObject({ startDay: '2027-01-01', endDay: '2027-01-01' })
  expect(requestOfSet({ ...fields, start: { lastDays: 1 } }, '2026-11-20')).toMatchObject({ startDay: '2026-11-20' })
})
