import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { metricYear } from './benchData.ts'
import { type BenchLine, type BenchTask, millisecondsOf } from './benchLine.ts'
import { cachedYear } from './cachedYear.ts'
import { withOptions } from './peakMemory.ts'
import { pythonOf } from './pythonPeer.ts'

const root = resolve(import.meta.dirname, '../..')

/** Runs a whole process whose output goes to a file, as a shell's redirection does. */
async function runProcess(program: string, args: readonly string[], out: string): Promise<void> {
  const stdout = openSync(out, 'w')
  try {
    const [status] = (await once(spawn(program, args, { cwd: root, stdio: ['ignore', stdout, 'ignore'] }), 'exit')) as [
      number,
    ]
    if (status !== 0) throw new Error(`${program} ${args.slice(0, 2).join(' ')} ended with ${status}`)
  } finally {
    closeSync(stdout)
  }
}

/** Opens a cache with a year of 1m rows; returns the task that runs the built command line and a peer in turn. */
async function commandTask(
  args: (dataDir: string) => string[],
  peer: [string, (folder: string, out: string) => string[]],
) {
  if (!existsSync(join(root, 'out/main/cli.js'))) throw new Error('Nothing is built; run “npm run build” first.')
  const paths = await metricYear(60, 43)
  const { dataDir, close } = cachedYear(paths, '1m')
  const [program, peerArgs] = peer
  const ours = ['scripts/cli.mjs', ...args(dataDir), '--data-dir', dataDir]
  const task: BenchTask = {
    ours: () => millisecondsOf(() => runProcess(process.execPath, ours, join(dataDir, 'ours.csv'))),
    peer: () =>
      millisecondsOf(() =>
        runProcess(program, peerArgs(dirname(paths[0]), join(dataDir, 'peer.csv')), join(dataDir, 'peer.out')),
      ),
    close,
  }
  // The first run compiles the code and caches it for later runs.
  await task.ours()
  return task
}

const bareNode: [string, () => string[]] = [process.execPath, () => ['-e', '0']]

const series = {
  dataset: 'flow',
  exchange: 'venuea-futures',
  symbol: 'perpetual-BTC-USDT:USDT',
  interval: '1m',
  timestamp: 'exchange',
}
const columnOfYear = { ...series, columns: 'c0', start: '2025-01-01', end: '2025-12-31', format: 'csv' }

const readProgram = `import polars as pl, sys
time = pl.from_epoch('time', time_unit='ms').dt.strftime('%Y-%m-%dT%H:%M:%S.%3fZ')
pl.scan_parquet(sys.argv[1] + '/*.parquet').select(time, 'c0').collect().write_csv(sys.stdout.buffer)`
const exportProgram = `import polars as pl, sys
pl.scan_parquet(sys.argv[1] + '/*.parquet').sink_csv(sys.argv[2])`

const besidePolars = (program: string): [string, (folder: string, out: string) => string[]] => [
  pythonOf('polars'),
  (folder, out) => ['-c', program, folder, out],
]

const line = { unit: 'ms', rule: 'atMost' } as const
const python = { ...line, python: 'polars', peerName: 'Python with Polars' }
const node = { ...line, peerName: 'a bare Node', budget: 4 }

export const benchLines: BenchLine[] = [
  {
    ...python,
    name: 'command line: read one column of a year of 1m as CSV',
    budget: 1.5,
    prepare: () => commandTask(() => withOptions('read', columnOfYear), besidePolars(readProgram)),
  },
  {
    ...python,
    name: 'command line: export 525,600 × 43 as CSV',
    budget: 1.2,
    prepare: () => {
      const args = (dataDir: string) =>
        withOptions('export', { ...series, format: 'csv', out: join(dataDir, 'year.csv') })
      return commandTask(args, besidePolars(exportProgram))
    },
  },
  { ...node, name: 'command line: --version', prepare: () => commandTask(() => ['--version'], bareNode) },
  { ...node, name: 'command line: ls', prepare: () => commandTask(() => ['ls'], bareNode) },
]
