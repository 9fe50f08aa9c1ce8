import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cliSession } from '../fakes/cliSession.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

export const symbols = ['perpetual-BTC-USDT:USDT', 'perpetual-ETH-USDT:USDT'] as const
export const place = { exchange: 'venuea-futures', interval: '1h' }
export const range = { start: '2026-09-01', end: '2026-09-03' }
/** A study of the cached bars. */
export const study = {
  ...{ version: 1, kind: 'signal', interval: '1h', ...range, horizons: [1], quantiles: 2 },
  source: { exchanges: [place.exchange], symbols, timestamp: 'exchange' },
  signal: '-ohlcv.close',
}

export interface ServedApi {
  url: string
  token: string
  dataDir: string
  /** File with the description of the API. */
  description: string
  run(args: readonly string[]): Promise<{ status: number | null; stderr: string }>
}

/** Serves the local API on a cache with bars of two symbols over three days, and a portfolio service. */
export async function serveApi(): Promise<ServedApi> {
  const { run, start, dataDir, sandbox } = await cliSession()
  await run(['connection', 'edit', 'desk', '--catalog', sandbox.catalogUrl, '--portfolio-url', sandbox.url])
  const options = { dataset: 'ohlcv', symbol: symbols.join(','), timestamp: 'exchange', ...place, ...range }
  await run(['fetch', ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])])
  const server = start(['serve', '--api', '--json'])
  const { url, tokenFile } = JSON.parse(await server.firstLine) as { url: string; tokenFile: string }
  const token = readFileSync(tokenFile, 'utf8').trim()
  const answer = await fetch(`${url}/v1/openapi.json`, { headers: { Authorization: `Bearer ${token}` } })
  const description = join(temporaryFolder(), 'openapi.json')
  writeFileSync(description, await answer.text())
  return { url, token, dataDir, description, run }
}
