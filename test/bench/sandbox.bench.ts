import { addDays } from '../../shared/time.ts'
import { startSandbox, type Sandbox } from '../../electron/sandbox/server.ts'
import { sandboxPeakMegabytes } from './sandboxPeak.ts'
import { millisecondsOf, type BenchLine, type BenchTask } from './benchLine.ts'

const nowMs = Date.parse('2026-09-15T12:00:00Z')
const symbol = 'perpetual-BTC-USDT:USDT'

interface SandboxClient {
  sandbox: Sandbox
  /** Sends a GET request below `/api/v1` and reads the body. */
  api: (path: string) => Promise<string>
  /** Lists the metric files of a day and downloads the first one. */
  file: (bucket: string, interval: string, day: string) => Promise<void>
}

async function startClient(): Promise<SandboxClient> {
  const sandbox = await startSandbox({ nowMs })
  const headers = { 'x-api-key': sandbox.keys['3'] }
  const read = async (url: string) => {
    const response = await fetch(url, { headers })
    if (response.status !== 200) throw new Error(`${url}: ${response.status}`)
    return response.text()
  }
  const api = (path: string) => read(`${sandbox.url}/api/v1${path}`)
  return {
    sandbox,
    api,
    async file(bucket, interval, day) {
      const range = { exchange: 'venuea-futures', symbol, start_date: day, end_date: day }
      const listing = await api(`/data/${bucket}?${new URLSearchParams({ interval, timestamp: 'exchange', ...range })}`)
      const [{ url }] = (JSON.parse(listing) as { files: { url: string }[] }).files
      await (await fetch(url)).arrayBuffer()
    },
  }
}

const lineOf = (name: string, budget: number, prepare: () => Promise<BenchTask>): BenchLine => ({
  name: `sandbox: ${name}`,
  unit: 'ms',
  rule: 'value',
  budget,
  peerName: null,
  prepare,
})

/** Measures `work` on a running sandbox after one run of `warm`. */
const inSandbox =
  (work: (client: SandboxClient, round: number) => Promise<unknown>, warm = work, rounds = 7) =>
  async (): Promise<BenchTask> => {
    const client = await startClient()
    let round = 0
    await warm(client, round++)
    return {
      ours: () => millisecondsOf(() => work(client, round++)),
      rounds,
      close: () => client.sandbox.close(),
    }
  }

/** Days and months that no earlier round has requested. */
const freshDay = (round: number) => addDays('2026-08-02', round * 3)
const freshMonth = (round: number) => `2026-0${1 + round}-01`

const tradeBuckets = [
  'flow',
  'trade_size',
  'range',
  'impact',
  'updownticks',
  'run_structure',
  'returns',
  'slippage',
  'vtwap',
]

export const benchLines: BenchLine[] = [
  lineOf('start to answering', 300, async () => ({
    ours: async () => {
      let client: SandboxClient | null = null
      const milliseconds = await millisecondsOf(async () => {
        client = await startClient()
        await client.api('/metadata/catalog')
      })
      await (client as SandboxClient | null)?.sandbox.close()
      return milliseconds
    },
  })),
  lineOf(
    'a day of 50,000 trades, all trade buckets at 1m',
    300,
    inSandbox(async ({ file }, round) => {
      for (const bucket of tradeBuckets) await file(bucket, '1m', freshDay(round))
    }),
  ),
  lineOf(
    'a month of 1.5 million trades, flow at 1h',
    3000,
    inSandbox(({ file }, round) => file('flow', '1h', freshMonth(round)), undefined, 3),
  ),
  lineOf(
    'metric catalog',
    20,
    inSandbox(({ api }) => api('/metadata/catalog')),
  ),
  lineOf(
    'symbols of a venue',
    20,
    inSandbox(({ api }) => api('/metadata/symbols?exchange=venuea-futures')),
  ),
  lineOf(
    'raw coverage',
    20,
    inSandbox(async ({ sandbox }) => (await fetch(sandbox.catalogUrl)).arrayBuffer()),
  ),
  lineOf(
    'portfolio history of six years',
    100,
    inSandbox(({ api }) => api('/portfolio/historical-weights?portfolio=momentum_ls.40')),
  ),
  {
    ...lineOf('peak memory, the heaviest requests at once', 400, async () => ({
      ours: sandboxPeakMegabytes,
      rounds: 1,
    })),
    unit: 'MB',
  },
]
