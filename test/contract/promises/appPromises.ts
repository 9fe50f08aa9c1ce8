import { createApp } from '#core/app.ts'
import type { FileContent, WindowHost } from '#core/ports.ts'
import type { Client } from '#shared/contract/client.ts'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import { emptyDocument } from '#shared/workspace/workspace.ts'
import { fakePorts } from '../../fakes/fakePorts.ts'
import { fieldsOfValue } from './fields.ts'
import { sortedSet, type Promises } from './promises.ts'
import type { ScenarioWorld } from './scenarioWorld.ts'

const series = {
  dataset: 'ohlcv' as const,
  exchange: 'venuea-futures',
  symbol: 'perpetual-BTC-USDT:USDT',
  interval: '1h',
  timestamp: 'exchange' as const,
}
const DAY_MS = 86_400_000
const days = { startMs: Date.parse('2026-09-01'), endMs: Date.parse('2026-09-03') }

interface SavedFile {
  name: string
  text: string
}

/** Creates a window host whose user saves every file under the proposed name. */
function savingHost(saved: SavedFile[]): WindowHost {
  return {
    kind: 'command line',
    pickFiles: null,
    async save({ name, companion }, open) {
      saved.push({ name, text: await textOf(open()) })
      if (companion) saved.push({ name: name + companion.suffix, text: await textOf(companion.open()) })
      return { name, path: null }
    },
  }
}

async function textOf(content: FileContent): Promise<string> {
  const chunks: Buffer[] = []
  for await (const piece of content) chunks.push(Buffer.from(piece))
  return Buffer.concat(chunks).toString('utf8')
}

/** Lists the promises in files that only a window saves; what this leaves in the data folder is checked later. */
export async function appPromises(world: ScenarioWorld): Promise<Promises> {
  const app = createApp(fakePorts(), { version: '0.0.0', dataDir: world.dataDir })
  const saved: SavedFile[] = []
  try {
    await useWindow(app.clientFor(savingHost(saved)))
  } finally {
    await app.close()
  }
  const fields = saved.flatMap(({ name, text }) => fieldsOfFile(name, text).map((field) => `${name}: ${field}`))
  return { 'saved files': sortedSet(saved.map(({ name }) => name)), 'saved file fields': sortedSet(fields) }
}

function fieldsOfFile(name: string, text: string): string[] {
  if (name.endsWith('.csv')) return text.slice(0, text.indexOf('\n')).trim().split(',')
  return fieldsOfValue(JSON.parse(text))
}

async function useWindow(client: Client): Promise<void> {
  const connections = await client.call('connections.list', {})
  const connectionId = connections.find(({ active }) => active)?.id ?? ''
  const document = { ...emptyDocument(), notes: [{ id: 'n', timeMs: days.startMs, text: 'a note' }] }
  await client.call('documents.create', { kind: 'workspace', name: 'Basis', document })
  await client.call('documents.export', { kind: 'workspace', name: 'Basis', document })
  await client.call('requests.export', {})
  await client.call('settings.change', { theme: 'dark' })
  await client.call('series.overview', { connectionId, ...series, ...days, columns: ['close'], points: 100 })
  const { dataset, ...instrument } = series
  const [startDay, endDay] = [days.startMs / DAY_MS, days.endMs / DAY_MS - 1]
  await client.call('raw.compute', { connectionId, ...instrument, datasets: [dataset], startDay, endDay })
  for (const format of ['csv', 'json'] as const)
    await client.call('raw.exportReconciliation', { connectionId, ...series, ...days, format })
  const input = { connectionId, ...series, column: 'close' }
  await client.call('series.export', {
    format: 'csv',
    series: [
      { connectionId, ...series, columns: ['close'] },
      { connectionId: computedOwner(connectionId), ...series, columns: ['close'] },
    ],
    formulas: [{ name: 'half', formula: 'a / 2', inputs: { a: input } }],
    ...days,
  })
}
