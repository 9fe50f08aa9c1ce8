import { expect, test } from 'vitest'
import type { Download } from '#shared/contract/areas/downloads.ts'
import { downloadWorld, hourly } from '../fakes/downloadWorld.ts'
import { startServer } from './peer.ts'

const outcomes = (downloads: Download[]) => downloads.map(({ outcome }) => outcome)

test('moto: a bucket of more than 1,000 objects is published to, and copied from by another desk', async (context) => {
  const storeEndpoint = await startServer(context, 'moto', 'motoServer.py')
  async function desk(key?: string) {
    const world = await downloadWorld(key === undefined ? {} : { key })
    const { client, connectionId } = world
    await client.call('connections.edit', { id: connectionId, store: 's3://research', storeEndpoint })
    await client.call('keys.set', { connectionId, service: 'store', key: 'TEAM-KEY-ID:secret' })
    const publish = () => client.call('downloads.publish', { request: { ...hourly, connectionId } })
    return { ...world, publish }
  }
  const first = await desk()
  await first.fetch()
  expect(await first.publish()).toMatchObject({ published: 4, rewritten: 0, there: 0, problems: [] })
  expect(await first.publish()).toMatchObject({ published: 0, rewritten: 0, there: 4, problems: [] })
  const second = await desk('no-such-key')
  expect(outcomes(await second.fetch())).toEqual(['copied', 'copied', 'copied', 'copied'])
})
