import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { metricDatasets } from '../../shared/catalog/metricDatasets.ts'
import { watchMemory } from './peakMemory.ts'

const commandLine = join(import.meta.dirname, '../../out/main/cli.js')

const series = 'exchange=venuea-futures&symbol=perpetual-BTC-USDT:USDT'

/** Heaviest requests, which are sent in parallel: every dataset at 15s, whole months of raw events, wide histories. */
const requests = [
  ...metricDatasets.map(
    ({ id }) => `/data/${id}?timestamp=true&interval=15s&${series}&start_date=2026-09-01&end_date=2026-09-02`,
  ),
  `/data/flow?timestamp=true&interval=15s&${series}&start_date=2026-07-01&end_date=2026-07-01`,
  `/raw/files?dataset=quotes&${series}&start_date=2026-07-01&end_date=2026-07-01`,
  '/portfolio/historical-weights?portfolio=momentum_ls.full',
  '/portfolio/historical-weights?portfolio=carry_ls.full',
]

async function ask(url: string, path: string): Promise<void> {
  const answer = await (await fetch(`${url}/api/v1${path}`, { headers: { 'x-api-key': 'sandbox-tier-3' } })).json()
  for (const file of (answer as { files?: { url: string }[] }).files ?? []) {
    for await (const _ of (await fetch(file.url)).body ?? []) continue
  }
}

/** Returns the peak memory of a sandbox process while it serves all these requests in parallel. */
export async function sandboxPeakMegabytes(): Promise<number> {
  const args = [commandLine, 'sandbox', '--json', '--now', '2026-09-15T12:00:00Z']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const peak = watchMemory(child.pid!)
  const [first] = (await once(child.stdout, 'data')) as [Buffer]
  const { url } = JSON.parse(first.toString()) as { url: string }
  await Promise.all(requests.map((path) => ask(url, path)))
  child.kill('SIGINT')
  await once(child, 'close')
  return peak()
}
