import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../../electron/cli/run.ts'
import { addMetricFiles } from '../fakes/cacheMarket.ts'
import { openTestStore } from '../fakes/openTestStore.ts'

const HOUR_MS = 3_600_000

/** A data folder with the spreads of two symbols, the last of which are 4 and 10 basis points, and files of a desk. */
function openDesk() {
  const dataDir = mkdtempSync(join(tmpdir(), 'plan-'))
  const store = openTestStore(dataDir)
  const cacheSpreads = (base: string, month: string, last: number) =>
    addMetricFiles(
      store,
      dataDir,
      {
        dataset: 'l1_liquidity',
        exchange: 'alpha',
        symbol: `perpetual-${base}-USDT:USDT`,
        interval: '1h',
        columns: ['spread_bps'],
        rows: [9, 7, last, NaN].map((spread_bps, at) => ({
          time: Date.parse(`${month}-28`) + at * HOUR_MS,
          spread_bps,
        })),
      },
      [month],
    )
  cacheSpreads('AAA', '2026-06', 4)
  cacheSpreads('BBB', '2026-06', 10)
  const write = (name: string, text: string) => {
    writeFileSync(join(dataDir, name), text)
    return join(dataDir, name)
  }
  const files = [
    ...['--weights', write('w.csv', 'ticker,weight\nAAA,0.5\nBBB,-0.25\nCCC,0.1\n')],
    ...['--prices', write('p.csv', 'ticker,price\nAAA,100\nBBB,10\nCCC,1\n')],
    ...['--positions', write('held.csv', 'symbol,units\nAAA,10\n')],
  ]
  const perpscope = async (...args: string[]) => {
    const written = { stdout: '', stderr: '' }
    const sink = (name: keyof typeof written) => ({ write: (text: string) => void (written[name] += text) })
    const context = { stdout: sink('stdout'), stderr: sink('stderr'), signal: new AbortController().signal, env: {} }
    return { status: await run([...args, '--data-dir', dataDir], context), ...written }
  }
  return { dataDir, cacheSpreads, files, perpscope }
}

test('a plan costs half the last cached spread, and does not guess where none is cached', async () => {
  const { files, perpscope } = openDesk()
  const { stdout } = await perpscope('plan', ...files, '--capital', '10000', '--json')
  const { rows, totals } = JSON.parse(stdout) as {
    rows: { symbol: string; cost: number | null }[]
    totals: { cost: number | null }
  }
  const costs = Object.fromEntries(rows.map(({ symbol, cost }) => [symbol, cost]))
  // 4,000 at 2 basis points, and 2,500 at 5.
  expect(costs).toEqual({ AAA: expect.closeTo(0.8, 9), BBB: expect.closeTo(1.25, 9), CCC: null })
  expect(totals.cost).toBeNull()
})

test('the report of a plan replays to the digit after the spreads have changed, and shows a changed number', async () => {
  const { dataDir, cacheSpreads, files, perpscope } = openDesk()
  const out = join(dataDir, 'plan.html')
  const made = await perpscope('report', 'plan', ...files, '--capital', '10000', '--out', out)
  expect([made.status, made.stderr]).toEqual([0, ''])
  const html = readFileSync(out, 'utf8')
  for (const text of ['Nothing is ever sent', 'Gross target', 'Least order', 'held.csv']) expect(html).toContain(text)
  cacheSpreads('AAA', '2026-07', 400)
  expect((await perpscope('replay', out)).stdout).toMatch(/^0 differences/)
  writeFileSync(out, html.replaceAll('4000', '4001'))
  const edited = await perpscope('replay', out)
  expect(edited.status).toBe(3)
  expect(edited.stdout).toContain('4001 → 4000')
})

test('a plan goes by typed lots, and its report replays with those of its day', async () => {
  const { dataDir, files, perpscope } = openDesk()
  const plan = [...files, '--capital', '10000', '--cost-bps', '1']
  const orderOf = async (symbol: string) => {
    const { stdout } = await perpscope('plan', ...plan, '--json')
    return (JSON.parse(stdout) as { rows: { symbol: string; order: number }[] }).rows.find(
      (row) => row.symbol === symbol,
    )?.order
  }
  expect(await orderOf('AAA')).toBe(40)
  expect(await perpscope('instruments', 'rule', 'AAA', '--lot', '30')).toMatchObject({ status: 0 })
  expect(await orderOf('AAA')).toBe(30)
  const out = join(dataDir, 'plan.html')
  expect(await perpscope('report', 'plan', ...plan, '--out', out)).toMatchObject({ status: 0, stderr: '' })
  await perpscope('instruments', 'rule', 'AAA', '--lot', '7')
  expect(await orderOf('AAA')).toBe(35)
  expect((await perpscope('replay', out)).stdout).toMatch(/^0 differences/)
  expect((await perpscope('instruments', 'rules')).stdout).toMatch(/AAA.* 7/)
  expect((await perpscope('instruments', 'rule', 'BBB', '--ticker', 'AAA')).stderr).toContain(
    'AAA and BBB are both of the ticker AAA',
  )
  expect(await perpscope('instruments', 'rule', 'AAA', '--lot', '0')).toMatchObject({ status: 2 })
  await perpscope('instruments', 'rule', 'AAA')
  expect(JSON.parse((await perpscope('instruments', 'rules', '--json')).stdout)).toEqual([])
})
