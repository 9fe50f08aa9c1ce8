import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import { openStore } from '#core/store/store.ts'
import { run } from '../../../electron/cli/run.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { fakeLog } from '../../fakes/fakeLog.ts'
import { addCachedFile } from '../../fakes/parquetCache.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'
import packageJson from '../../../package.json' with { type: 'json' }

const hasPython = spawnSync('python3', ['--version']).status === 0

const program = `
import doctest, json, sys
import perpscope
broken = doctest.testmod(perpscope).failed
engines = [name for name in ("polars", "pandas", "duckdb", "pyarrow") if name in sys.modules]
choice = dict(data_dir=sys.argv[1], symbol=sys.argv[2], interval="1m")
print(json.dumps({"broken": broken, "engines": engines, "files": perpscope.files("flow", **choice),
  "cut": perpscope.files("flow", start="2026-08-02", end="2026-08-02", **choice), "provenance": perpscope.provenance("flow", **choice)}))
`

const refusals = `
import json, sys
import perpscope
choice = dict(data_dir=sys.argv[1], interval="1m")
said = []
for each in [dict(dataset="flo"), dict(dataset="flow", base="XYZ"), dict(dataset="flow", interval="7m"), dict(dataset="flow", interval="3m"), dict(dataset="flow", timestamp="true"),
             dict(dataset="flow", start="2027-01-01", end="2027-01-02"), dict(dataset="flow", start="soon"), dict(dataset="flow", end=1.5),
             dict(dataset="flow", start="2026-08-02", end="2026-08-01"), dict(dataset="trades"), dict(dataset="flow", exchang="venuea-futures")]:
    try:
        perpscope.scan(**{**choice, **each})
    except Exception as thrown:
        said.append(f"{type(thrown).__name__}: {thrown}")
perpscope._find_spec = lambda name: None
for read in [perpscope.scan, perpscope.pandas]:
    try:
        read("flow", **choice)
    except Exception as thrown:
        said.append(f"{type(thrown).__name__}: {thrown}")
try:
    perpscope.study("no-study.json")
except Exception as thrown:
    said.append(f"{type(thrown).__name__}: {thrown}")
print(json.dumps(said))
`

/** Returns what an action of `python` prints. */
async function printed(...words: string[]): Promise<string> {
  let text = ''
  const streams = {
    stdout: { write: (piece: string | Uint8Array) => (text += String(piece)) },
    stderr: { write: () => undefined },
  }
  expect(await run(['python', ...words], { ...streams, env: {}, signal: new AbortController().signal })).toBe(0)
  return text.trim()
}

const moduleFolder = () => printed('path')

const withModule = (folder: string) => ({
  ...process.env,
  PYTHONPATH: folder,
  PYTHONUTF8: '1',
  PYTHONDONTWRITEBYTECODE: '1',
})

it.skipIf(!hasPython)('says which argument matches nothing, and what is here', async () => {
  const folder = await moduleFolder()
  const dataDir = dataFolder()
  const store = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
  addCachedFile(store, dataDir, flowSeries({}), '2026-08-01')
  const computed = flowSeries({ interval: '3m', connectionId: computedOwner(flowSeries({}).connectionId) })
  addCachedFile(store, dataDir, computed, '2026-08-01')
  const raw = flowSeries({ kind: 'raw', dataset: 'trades', interval: '', timestamp: '' })
  addCachedFile(store, dataDir, raw, '2026-08-01')
  const said = execFileSync('python3', ['-c', refusals, dataDir], { env: withModule(folder), encoding: 'utf8' })
  const fetchIt = 'Download it with: perpscope fetch'
  expect(JSON.parse(said)).toEqual([
    `PerpscopeError: There is no dataset 'flo' in the cache. Cached: flow. ${fetchIt}`,
    `PerpscopeError: There is no flow with base 'XYZ' in the cache. Cached: BTC. ${fetchIt}`,
    `PerpscopeError: There is no flow with interval '7m' in the cache. Cached: 1m. ${fetchIt}`,
    "PerpscopeError: There is no flow with interval '3m' in the cache. Cached: 1m. Computed files have it: read them with perpscope sql, from metrics.flow where origin = 'computed'.",
    `PerpscopeError: There is no flow with timestamp 'true' in the cache. Cached: exchange. ${fetchIt}`,
    `PerpscopeError: No flow from 2027-01-01 until 2027-01-02 is cached for this choice. ${fetchIt}`,
    "PerpscopeError: start is not a date or time: 'soon'. Write 2026-08-01 or 2026-08-01T12:00Z.",
    'PerpscopeError: end is not a date or time: 1.5. Write 2026-08-01 or 2026-08-01T12:00Z.',
    'PerpscopeError: The range is empty: it starts at 2026-08-02 and ends at 2026-08-01.',
    'PerpscopeError: trades has raw events and no bars. Read them with: events("trades")',
    "TypeError: got an unexpected keyword argument 'exchang'",
    'PerpscopeError: polars is not installed here. Install with: pip install polars',
    'PerpscopeError: pandas and pyarrow are not installed here. Install with: pip install pandas pyarrow',
    'PerpscopeError: no-study.json cannot be read: No such file or directory.',
  ])
  store.close()
})

it.skipIf(!hasPython)('reads an index beside which nothing can be written, with and without a log', async () => {
  const folder = await moduleFolder()
  const dataDir = dataFolder()
  const store = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
  addCachedFile(store, dataDir, flowSeries({}), '2026-08-01')
  // SQLite follows no link there, so that it cannot create the file, as in a folder that may only be read.
  const lockedCopy = (...names: string[]) => {
    const copy = temporaryFolder()
    for (const name of names) copyFileSync(join(dataDir, name), join(copy, name))
    symlinkSync('nowhere', join(copy, 'perpscope.sqlite-shm'))
    return copy
  }
  const withLog = lockedCopy('perpscope.sqlite', 'perpscope.sqlite-wal')
  store.close()
  for (const copy of [withLog, lockedCopy('perpscope.sqlite')]) {
    const args = ['-c', program, copy, flowSeries({}).symbol]
    const printed = execFileSync('python3', args, { env: withModule(folder), encoding: 'utf8' })
    expect(JSON.parse(printed)).toMatchObject({ files: [expect.stringContaining('2026-08-01.parquet')] })
  }
})

it.skipIf(!hasPython)('finds the files of odd symbols in plain Python, also while the store is open', async () => {
  const folder = await moduleFolder()
  const dataDir = dataFolder()
  const store = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
  for (const symbol of ['perpetual-龙 k%-USDT:USDT', 'perpetual-kPEPE-USDC', 'odd.']) {
    const paths = ['2026-08-01', '2026-08-02'].map((period) =>
      addCachedFile(store, dataDir, flowSeries({ symbol }), period),
    )
    const args = ['-c', program, dataDir, symbol]
    const printed = execFileSync('python3', args, { env: withModule(folder), encoding: 'utf8' })
    const found = JSON.parse(printed) as Record<'files' | 'cut', string[]> & {
      provenance: { series: { files: unknown[] }[] }
    }
    expect(found).toMatchObject({ broken: 0, engines: [], files: paths, cut: paths.slice(1) })
    expect(found.files.every((path) => existsSync(path))).toBe(true)
    expect(found.provenance.series[0].files[0]).toMatchObject({
      path: paths[0],
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    })
  }
  store.close()
  expect(existsSync(join(folder, '__pycache__'))).toBe(false)
})

const lists = `
import json, sys
import perpscope
choice = dict(data_dir=sys.argv[1], interval="1m")
symbols = ["perpetual-BTC-USDT:USDT", "perpetual-ETH-USDT:USDT"]
counts = [len(perpscope.files("flow", **choice, **one)) for one in (dict(symbol=symbols), dict(symbol=tuple(symbols[:1])), dict(base=["BTC", "SOL"]), dict(exchange=["venuea-futures"]))]
try:
    perpscope.history("nothing")
except perpscope.PerpscopeError as thrown:
    error = [thrown.code, thrown.reason, thrown.remedy]
try:
    perpscope.plan(weights="live:x", capital=1, data_dir=sys.argv[1])
except perpscope.PerpscopeError as thrown:
    unreachable = [thrown.code, str(thrown)]
print(json.dumps(dict(counts=counts, error=error, unreachable=unreachable, version=perpscope.__version__)))
`

it.skipIf(!hasPython)('takes lists of names, and raises one class of error that says what to do', async () => {
  const dataDir = dataFolder()
  const store = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
  for (const base of ['BTC', 'ETH', 'SOL'])
    addCachedFile(store, dataDir, flowSeries({ symbol: `perpetual-${base}-USDT:USDT` }), '2026-08-01')
  store.close()
  const said = execFileSync('python3', ['-c', lists, dataDir], {
    env: withModule(await moduleFolder()),
    encoding: 'utf8',
  })
  expect(JSON.parse(said)).toEqual({
    counts: [2, 1, 2, 3],
    error: [
      'bad-input',
      "There is no history of 'nothing'.",
      'Choose one of: returns, weights, factors, prices, universe, overlays, regimes',
    ],
    unreachable: ['unreachable', 'The local API is not running. Start it with: perpscope serve --api'],
    version: packageJson.version,
  })
})

const shortNames = `
import json, sys
import perpscope
def answer(**choice):
    try:
        return [part["symbol"] for part in perpscope.provenance("flow", data_dir=sys.argv[1], **choice)["series"]]
    except perpscope.PerpscopeError as thrown:
        return str(thrown)
def refusal(read, dataset, **choice):
    try:
        read(dataset, data_dir=sys.argv[1], **choice)
    except perpscope.PerpscopeError as thrown:
        return str(thrown)
found = [answer(symbol=each) for each in ("TNSR", "tnsr perp", "tnsrusdt", ["TNSR-USDT", "aa"], "SOL-USDC", "perpetual-Tnsr-USDT:USDT")]
bases = [answer(base=each) for each in ("tnsr", "sol")]
refused = [refusal(perpscope.files, "flow", symbol="sol"), refusal(perpscope.scan, "flow", symbol="TNS"), refusal(perpscope.scan, "flow", base="TNSS"),
           refusal(perpscope.scan, "flow", symbol="tnsr", interval="7m"), refusal(perpscope.events, "trades", symbol="sol")]
print(json.dumps(dict(found=found, bases=bases, refused=refused)))
`

it.skipIf(!hasPython)(
  'takes a short name for the cached symbol that it means, and names those that it may',
  async () => {
    const dataDir = dataFolder()
    const store = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
    const symbolOf = (pair: string) => `perpetual-${pair}:${pair.split('-')[1]}`
    const [tnsr, sol, solUsdc] = ['TNSR-USDT', 'SOL-USDT', 'SOL-USDC'].map(symbolOf)
    const others = [...'ABCDEFGHIJKL'].map((letter) => symbolOf(`A${letter}-USDT`))
    for (const symbol of [...others, tnsr, sol, solUsdc])
      addCachedFile(store, dataDir, flowSeries({ symbol }), '2026-08-01')
    for (const symbol of [sol, solUsdc])
      addCachedFile(
        store,
        dataDir,
        flowSeries({ kind: 'raw', dataset: 'trades', interval: '', timestamp: '', symbol }),
        '2026-08-01',
      )
    store.close()
    const said = execFileSync('python3', ['-c', shortNames, dataDir], {
      env: withModule(await moduleFolder()),
      encoding: 'utf8',
    })
    const several = `'sol' names 2 symbols: ${solUsdc}, ${sol}. Write one of them.`
    expect(JSON.parse(said)).toEqual({
      found: [[tnsr], [tnsr], [tnsr], [others[0], tnsr], [solUsdc], []],
      bases: [[tnsr], [solUsdc, sol]],
      refused: [
        several,
        expect.stringContaining(`There is no flow with symbol 'TNS' in the cache. Cached: ${tnsr}, `),
        expect.stringContaining("There is no flow with base 'TNSS' in the cache. Cached: TNSR, "),
        expect.stringContaining("There is no flow with interval '7m' in the cache. Cached: 1m."),
        several,
      ],
    })
  },
)

const atVenues = `
import json, sys
import perpscope
def answer(read=perpscope.files, dataset="flow", **choice):
    try:
        read(dataset, data_dir=sys.argv[1], **choice)
        return [(part["exchange"], part["symbol"]) for part in perpscope.provenance(dataset, data_dir=sys.argv[1], **choice)["series"]]
    except perpscope.PerpscopeError as thrown:
        return str(thrown)
print(json.dumps([answer(symbol=each) for each in ("btc@ostrich-perps", "BTC-USDT@Emu", ["btc@emu", "eth@emu"], "btc@ostrich", "btc@nowhere", ["btc@emu", "btc"])]
  + [answer(symbol="btc@emu", exchange="ostrich-perps"), answer(symbol="btc@emu", exchange="emu-swaps"), answer(perpscope.scan, "flo", symbol="btc@emu"), answer(perpscope.scan, symbol="sol@emu")]))
`

it.skipIf(!hasPython)('takes a symbol at a venue, as the command line does', async () => {
  const dataDir = dataFolder()
  const store = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
  const [btc, eth] = ['perpetual-BTC-USDT:USDT', 'perpetual-ETH-USDT:USDT'] as const
  for (const exchange of ['ostrich-perps', 'ostrich-spot', 'emu-swaps'])
    for (const symbol of [btc, eth]) addCachedFile(store, dataDir, flowSeries({ exchange, symbol }), '2026-08-01')
  store.close()
  const said = execFileSync('python3', ['-c', atVenues, dataDir], {
    env: withModule(await moduleFolder()),
    encoding: 'utf8',
  })
  const one = 'The symbols are to be read at several venues. Read each venue by itself.'
  expect(JSON.parse(said)).toEqual([
    [['ostrich-perps', btc]],
    [['emu-swaps', btc]],
    [
      ['emu-swaps', btc],
      ['emu-swaps', eth],
    ],
    "'ostrich' names 2 venues: ostrich-perps, ostrich-spot. Cached: emu-swaps, ostrich-perps, ostrich-spot.",
    "No venue of this dataset in the cache is called 'nowhere'. Cached: emu-swaps, ostrich-perps, ostrich-spot.",
    one,
    one,
    [['emu-swaps', btc]],
    expect.stringContaining("There is no dataset 'flo' in the cache."),
    expect.stringContaining("There is no flow with symbol 'sol@emu' in the cache. Cached: "),
  ])
})

const ranges = `
import json, sys
import perpscope
def names(**choice):
    try:
        return [path.rsplit("/", 1)[-1] for path in perpscope.files("flow", data_dir=sys.argv[1], **choice)]
    except perpscope.PerpscopeError as thrown:
        return thrown.reason
print(json.dumps([names(interval="1m", start=start, end=end) for start, end in json.loads(sys.argv[2])] + [names(start="2026-08-01")]))
`

it.skipIf(!hasPython)(
  'reads of the index only the files of the range, and chooses no interval by the range',
  async () => {
    const dataDir = dataFolder()
    const store = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
    for (const period of ['2026-06', '2026-07', '2026-08-01', '2026-08-02'] as const)
      addCachedFile(store, dataDir, flowSeries({}), period)
    addCachedFile(store, dataDir, flowSeries({ interval: '5m' }), '2026-07')
    store.close()
    const asked = [
      [null, null],
      ['2026-06-30', '2026-07-01'],
      ['2026-07-31T23:59Z', '2026-08-01'],
      ['2026-07-31', '2026-07-31'],
      ['2026-08-02', null],
      [null, '2026-06-30T23:00Z'],
    ]
    const said = execFileSync('python3', ['-c', ranges, dataDir, JSON.stringify(asked)], {
      env: withModule(await moduleFolder()),
      encoding: 'utf8',
    })
    const [june, july, first, second] = ['2026-06', '2026-07', '2026-08-01', '2026-08-02'].map(
      (each) => `${each}.parquet`,
    )
    expect(JSON.parse(said)).toEqual([
      [june, july, first, second],
      [june, july],
      [july, first],
      [july],
      [second],
      [june],
      'Choose one interval, because rows of several intervals cannot be mixed: 1m, 5m',
    ])
  },
)

it.skipIf(!hasPython)('is written as a wheel that Python reads, the same each time, with its types', async () => {
  const [folder, other] = [temporaryFolder(), temporaryFolder()]
  const [path, again] = [await printed('wheel', '--out', folder), await printed('wheel', '--out', other)]
  expect(path).toBe(join(folder, `perpscope-${packageJson.version}-py3-none-any.whl`))
  expect(readFileSync(path).equals(readFileSync(again))).toBe(true)
  const read = 'import sys, zipfile; sys.path.insert(0, sys.argv[1]); import perpscope'
  const names = `print(zipfile.ZipFile(sys.argv[1]).testzip(), perpscope.__version__, *zipfile.ZipFile(sys.argv[1]).namelist())`
  const said = execFileSync('python3', ['-c', `${read}; ${names}`, path], {
    env: { ...process.env, PYTHONPATH: '', PYTHONUTF8: '1' },
    encoding: 'utf8',
  })
  expect(said.trim().split(' ').slice(0, 4)).toEqual([
    'None',
    packageJson.version,
    'perpscope/__init__.py',
    'perpscope/py.typed',
  ])
})
