import { execFile } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
import { available, peerEnvironment, provePython } from './peer.ts'
import { place, range, serveApi, study, symbols } from './servedApi.ts'

const run = promisify(execFile)
const [BTC] = symbols

/** What the clients read: figures of the answers, by their typed fields. */
const expected = {
  cached: [...symbols],
  series: ['close', 72],
  sql: 72,
  isStudyOfKind: 'signal',
  listed: 'signal',
  refused: 'bad-input',
}

provePython('openapi-python-client', 'a generated client reads rows, queries and studies', async (python) => {
  const { url, token, description } = await serveApi()
  const program = `
import datetime, json, subprocess, sys
made = subprocess.run([sys.executable, "-m", "openapi_python_client", "generate", "--path", ${JSON.stringify(description)}, "--output-path", "made", "--meta", "none"], capture_output=True, text=True)
# A client has no type for an Arrow stream; everything else must be in it.
problems = [line for line in made.stdout.splitlines() if line.startswith(("WARNING", "Unable")) and "trades.arrow" not in line]
assert problems == [], made.stdout
sys.path.insert(0, ".")
from made import AuthenticatedClient
from made.api.default import coverage, run_study, series, sql, studies
from made.models import Refusal, SignalStudy, SqlBody
client = AuthenticatedClient(base_url=${JSON.stringify(url)}, token=${JSON.stringify(token)})
days = dict(start=datetime.date(2026, 9, 1), end=datetime.date(2026, 9, 3))
cached = coverage.sync(client=client)
choice = dict(dataset="ohlcv", exchange="${place.exchange}", interval="1h", **days)
rows = series.sync(client=client, symbol="${BTC}", columns=["close", "volume"], **choice)
query = sql.sync(client=client, body=SqlBody(sql="SELECT time FROM metrics.ohlcv WHERE symbol = '${BTC}'"))
study = run_study.sync(client=client, body=SignalStudy.from_dict(json.loads(${JSON.stringify(JSON.stringify(study))})))
refused = series.sync(client=client, symbol="${BTC}", columns=["nothing"], **choice)
assert isinstance(refused, Refusal)
print(json.dumps({
  "cached": sorted(each.symbol for each in cached.series),
  "series": [rows.columns[1].name, len(rows.rows)],
  "sql": len(query.rows),
  "isStudyOfKind": study.study.kind,
  "listed": studies.sync(client=client).studies[0].kind.value,
  "refused": refused.error.code,
}))
`
  expect(await python(program, temporaryFolder())).toEqual(expected)
})

test('openapi-typescript: a generated client reads rows, queries and studies, with checked types', async (context) => {
  const { modules } = available(context, 'openapi-typescript')
  const { url, token, description } = await serveApi()
  const folder = temporaryFolder()
  symlinkSync(modules!, join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const runModule = (path: string, ...args: string[]) =>
    run(process.execPath, [join(modules!, path), ...args], { cwd: folder, env: peerEnvironment() })
  await runModule('openapi-typescript/bin/cli.js', description, '-o', 'api.d.ts')
  writeFileSync(
    join(folder, 'use.ts'),
    `
import createClient from 'openapi-fetch'
import type { components, paths } from './api.d.ts'
const { GET, POST } = createClient<paths, 'application/json'>({ baseUrl: '${url}', headers: { Authorization: 'Bearer ${token}' } })
const query = { dataset: 'ohlcv', symbol: '${BTC}', ...${JSON.stringify({ ...place, ...range })} }
const { data: cached } = await GET('/v1/coverage')
const { data: rows } = await GET('/v1/series', { params: { query: { ...query, columns: ['close', 'volume'] } } })
const { data: found } = await POST('/v1/sql', { body: { sql: "SELECT time FROM metrics.ohlcv WHERE symbol = '${BTC}'" } as never })
const document: components['schemas']['SignalDocument'] = ${JSON.stringify(study)} as never
const { data: study } = await POST('/v1/studies', { body: document })
const { data: listed } = await GET('/v1/studies')
const { error } = await GET('/v1/series', { params: { query: { ...query, columns: ['nothing'] } } })
const isStudyOfKind: string | undefined = study?.study.kind
// @ts-expect-error the answer has no such field
void cached?.nothing
console.log(JSON.stringify({
  cached: cached?.series.map(({ symbol }) => symbol).sort(),
  series: [rows?.columns[1].name, rows?.rows.length],
  sql: found?.rows.length,
  isStudyOfKind,
  listed: listed?.studies[0].kind,
  refused: error?.error.code,
}))
`,
  )
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--allowImportingTsExtensions', '--noEmit']
  await runModule('typescript/bin/tsc', ...options, '--skipLibCheck', 'use.ts')
  const { stdout } = await run(process.execPath, ['use.ts'], { cwd: folder, env: peerEnvironment() })
  expect(JSON.parse(stdout)).toEqual(expected)
})
