import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { resultSchema } from '../../electron/cli/resultSchema.ts'
import { cliSession } from '../fakes/cliSession.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

const pair = ['--exchange', 'venuea-futures', '--symbol', 'perpetual-BTC-USDT:USDT']
const days = ['--start', '2026-09-01', '--end', '2026-09-03']
const series = ['--dataset', 'ohlcv', ...pair, '--interval', '1h', '--timestamp', 'exchange', ...days]
const portfolio = ['--portfolio', 'momentum_ls.20', '--start', '2026-08-01', '--end', '2026-08-20']
const base = { version: 1, kind: 'signal', interval: '1h', start: '2026-09-01', end: '2026-09-03' }
const source = { exchanges: ['venuea-futures'], symbols: [pair[3], 'perpetual-ETH-USDT:USDT'], timestamp: 'exchange' }
const study = { ...base, source, signal: '-ohlcv.close', horizons: [1], quantiles: 2 }

/** Commands by the words of their name, and the rest. */
const commandsIn = (folder: string): [name: string, ...rest: string[]][] => [
  ['where'],
  ['connection list'],
  ['connection venues'],
  ['connection test'],
  ['catalog'],
  ['catalog', '--raw'],
  ['symbols', '--exchange', 'venuea-futures'],
  ['fetch', ...series.map((word) => (word === pair[3] ? `${word},perpetual-ETH-USDT:USDT` : word))],
  ['coverage'],
  ['ls'],
  ['verify'],
  ['quality'],
  ['quality', '--definitions'],
  ['watch'],
  ['read', ...series],
  ['sql', 'SELECT exchange, count(*) AS n FROM metrics.ohlcv GROUP BY exchange'],
  ['sql', 'SELECT close FROM metrics.ohlcv', '--explain'],
  ['export', ...series, '--format', 'csv', '--out', join(folder, 'a.csv')],
  ['queue list', '--all'],
  ['set list'],
  ['lists list'],
  ['instruments list'],
  ['funding list'],
  ['data list'],
  ['study run', join(folder, 'study.json')],
  ['study list'],
  ['study schema', 'signal'],
  ['study explain', join(folder, 'study.json')],
  ['study compare', join(folder, 'study.json'), join(folder, 'study.json')],
  ['ledger list'],
  ['ledger show', '1'],
  ['ledger verify'],
  ['portfolio returns', ...portfolio],
  ['portfolio weights', ...portfolio.slice(0, 2)],
  ['portfolio tearsheet', ...portfolio],
  ['plan', '--weights', 'live:momentum_ls.20', '--capital', '10000'],
  ['report study', join(folder, 'study.json'), '--out', join(folder, 'study.html')],
  ['replay', join(folder, 'study.html')],
  ['check list'],
  ['inbox list'],
  ['schedule status'],
  ['python path'],
  ['backup', join(folder, 'a.backup')],
]

test('every command prints what its schema says', async () => {
  const { runHere, sandbox } = await cliSession()
  const folder = temporaryFolder()
  await runHere(['connection', 'edit', 'desk', '--catalog', sandbox.catalogUrl, '--portfolio-url', sandbox.url])
  writeFileSync(join(folder, 'study.json'), JSON.stringify(study))
  // The service refuses this interval, so the queue has a file with its reply.
  const refused = await runHere(['fetch', ...series.map((word) => (word === '1h' ? '2h' : word))])
  expect(refused.status).toBe(1)
  const wrong: string[] = []
  for (const [name, ...rest] of commandsIn(folder)) {
    const { stdout, stderr, status } = await runHere([...name.split(' '), ...rest, '--json'])
    const shape = resultSchema(name) as Parameters<typeof z.fromJSONSchema>[0] & { description: string }
    const schema = z.fromJSONSchema(shape)
    const isLines = shape.description.startsWith('Each line')
    const documents = (isLines ? stdout.trim().split('\n') : [stdout]).filter((text) => text.trim() !== '')
    if (documents.length === 0 || status === 2) wrong.push(`${name}: printed nothing; ${stderr}`)
    for (const text of documents) {
      const { error } = schema.safeParse(JSON.parse(text))
      if (error) wrong.push(`${name}: ${JSON.stringify(error.issues).slice(0, 3000)}`)
    }
  }
  expect(wrong).toEqual([])
}, 240_000)
