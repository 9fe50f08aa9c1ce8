import { expect, it } from 'vitest'
import { run } from '../../electron/cli/run.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
import { startCachedSandbox } from '../fakes/testSandbox.ts'

const BTC = 'perpetual-BTC-USDT:USDT'
type Line = Record<string, unknown> & { summary?: { files: number; days: number; findings: Record<string, number> } }

it('finds what the sandbox plants in cached files, and nothing in clean ones', async () => {
  const sandbox = await startCachedSandbox()
  const folder = temporaryFolder()
  const perpscope = async (...args: string[]) => {
    let [stdout, stderr] = ['', '']
    const status = await run([...args, '--data-dir', folder], {
      stdout: { write: (text: string) => (stdout += text) },
      stderr: { write: (text: string) => (stderr += text) },
      env: { PERPSCOPE_API_KEY: sandbox.keys['3'] },
      signal: new AbortController().signal,
    })
    return { status, stdout, stderr }
  }
  const quality = async (...args: string[]) => {
    const { status, stdout, stderr } = await perpscope('quality', '--json', '--offline', ...args)
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line)
    return { status, findings: lines.slice(0, -1), summary: lines.at(-1)?.summary, stderr }
  }
  const fetchDay = async (...args: string[]) =>
    perpscope('fetch', '--symbol', BTC, '--interval', '1m', '--timestamp', 'exchange', ...args)
  const day = ['--start', '2026-09-01', '--end', '2026-09-01']
  try {
    const added = await perpscope('connection', 'add', 'desk', '--metrics-url', sandbox.url, '--tier', '3')
    expect(added.status, added.stderr).toBe(0)
    await perpscope('connection', 'use', 'desk')
    const series = ['--dataset', 'ohlcv,funding', '--exchange', 'venuea-futures,venueb-perps']
    expect((await fetchDay(...series, ...day)).status).toBe(0)
    const clean = await quality()
    expect(clean).toMatchObject({ status: 0, findings: [], summary: { files: 4, days: 4 } })

    const watched = await perpscope('watch', '--json', '--offline', '--columns', 'range=max(ohlcv.high - ohlcv.low, 0)')
    expect(watched.status, watched.stderr).toBe(0)
    const rows = JSON.parse(watched.stdout) as Record<string, unknown>[]
    expect(rows.map(({ exchange, symbol }) => [exchange, symbol])).toEqual([
      ['venuea-futures', BTC],
      ['venueb-perps', BTC],
    ])
    expect(Object.keys(rows[0])).toEqual([
      ...['exchange', 'symbol', 'last', 'change', 'funding_annualised', 'funding_every', 'funding_basis'],
      ...['open_interest_change', 'volume_z', 'coverage', 'quality', 'range'],
    ])
    expect(rows[0]).toMatchObject({ last: expect.any(Number) as number, range: expect.any(Number) as number })
    expect(rows[0]).toMatchObject({ funding_annualised: null, funding_every: null, funding_basis: null })
    expect(rows[0]).toMatchObject({ open_interest_change: null, volume_z: null })

    sandbox.setFaults({
      files: { quality: { missing: true, stale: true, spikes: true, impossible: true, venues: true } },
    })
    await fetchDay(...series, ...day, '--refresh')
    const spoilt = await quality()
    expect(spoilt.status).toBe(3)
    for (const kind of ['missing', 'stale', 'spike', 'impossible', 'venue', 'republished'])
      expect(spoilt.summary?.findings[kind], kind).toBeGreaterThan(0)
    expect(spoilt.findings.find(({ kind }) => kind === 'missing')).toEqual({
      dataset: expect.any(String) as string,
      exchange: 'venuea-futures',
      symbol: BTC,
      interval: '1m',
      timestamp: 'exchange',
      day: '2026-09-01',
      kind: 'missing',
      column: null,
      from: Date.parse('2026-09-01T01:40:00Z'),
      to: Date.parse('2026-09-01T02:00:00Z'),
      count: 20,
      value: null,
      expected: null,
      detail: 'intervals without a row',
    })
    const again = await quality('--dataset', 'ohlcv', '--exchange', 'venuea-futures', '--kind', 'spike')
    expect(new Set(again.findings.map(({ dataset, kind }) => `${String(dataset)} ${String(kind)}`))).toEqual(
      new Set(['ohlcv spike']),
    )
    expect((await quality('--start', '2026-09-02')).summary).toMatchObject({ files: 0, days: 0 })
    const none = await perpscope('quality', '--offline', '--start', '2026-09-02')
    expect(none.stdout).toContain('Nothing was checked: no file in the cache matches.')
  } finally {
    await sandbox.close()
  }
})
