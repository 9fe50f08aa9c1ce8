import { onTestFinished } from 'vitest'
import type { Client } from '#shared/contract/client.ts'
import type { CallName } from '#shared/contract/names.ts'
import { cellOf, columnOf, type Frame } from '#shared/contract/frame.ts'
import { dayOf } from '#shared/time.ts'
import { createApp, type App } from '#core/app.ts'
import { fakeHost, fakePorts, type FakePorts } from '../../fakes/fakePorts.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'

export interface PortfolioWorld {
  app: App
  client: Client
  ports: FakePorts
  connectionId: string
  dataDir: string
  /** Returns the paths and query strings of all requests to the service so far, oldest first. */
  requestedPaths(): Promise<string[]>
}

/** Opens a core with one connection whose portfolio service has the address `url`. */
export async function openPortfolioWorld(
  url: string,
  nowMs: number,
  key: string | null = null,
): Promise<PortfolioWorld> {
  const ports = fakePorts()
  ports.clock.advance(nowMs - ports.clock.nowMs())
  const dataDir = dataFolder()
  const app = createApp(ports, { version: '0', dataDir })
  onTestFinished(() => app.close())
  const client = app.clientFor(fakeHost())
  const { id } = await client.call('connections.add', {
    name: 'Desk',
    metricsUrl: '',
    portfolioUrl: url,
    catalogLocation: '',
    tier: null,
  })
  await client.call('connections.use', { id })
  if (key !== null) await client.call('keys.set', { connectionId: id, service: 'portfolio', key })
  return {
    app,
    client,
    ports,
    connectionId: id,
    dataDir,
    async requestedPaths() {
      const log = await client.call('requests.list' satisfies CallName, { limit: 1000 })
      const addresses = columnOf(log, 'address')
      if (!addresses) return []
      return Array.from({ length: log.rows }, (_, row) =>
        String(cellOf(addresses, row)).replace(/^.*\/api\/v1/, ''),
      ).reverse()
    },
  }
}

/** Returns the rows by day, each with its values by column; missing values are null. */
export function byDay(frame: Frame): Record<string, Record<string, number | null>> {
  const [time, ...numbers] = frame.columns
  return Object.fromEntries(
    Array.from({ length: frame.rows }, (_, row) => [
      dayOf(Number(cellOf(time, row))),
      Object.fromEntries(numbers.map((column) => [column.name, cellOf(column, row) as number | null])),
    ]),
  )
}
