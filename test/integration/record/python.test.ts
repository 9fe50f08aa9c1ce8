import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openStore } from '#core/store/store.ts'
import { run } from '../../../electron/cli/run.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { fakeLog } from '../../fakes/fakeLog.ts'
import { addCachedFile } from '../../fakes/parquetCache.ts'

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

it.skipIf(!hasPython)('finds the files of odd symbols in plain Python, also while the store is open', async () => {
  let folder = ''
  const streams = {
    stdout: { write: (text: string | Uint8Array) => (folder += String(text)) },
    stderr: { write: () => undefined },
  }
  const signal = new AbortController().signal
  expect(await run(['python', 'path'], { ...streams, env: {}, signal })).toBe(0)
  const dataDir = dataFolder()
  const store = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
  for (const symbol of ['perpetual-龙 k%-USDT:USDT', 'perpetual-kPEPE-USDC', 'odd.']) {
    const paths = ['2026-08-01', '2026-08-02'].map((period) =>
      addCachedFile(store, dataDir, flowSeries({ symbol }), period),
    )
    const env = { ...process.env, PYTHONPATH: folder.trim(), PYTHONUTF8: '1', PYTHONDONTWRITEBYTECODE: '1' }
    const printed = execFileSync('python3', ['-c', program, dataDir, symbol], { env, encoding: 'utf8' })
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
  expect(existsSync(join(folder.trim(), '__pycache__'))).toBe(false)
})
