import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { expect, test } from 'vitest'
import { run } from '../../../electron/cli/run.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

function openFolder() {
  const [folder, dataDir] = [temporaryFolder(), dataFolder()]
  const at = (name: string) => join(folder, name)
  writeFileSync(at("my 'own'.csv"), 'day,weight\n2026-08-01,0.5\n2026-08-02,1.5\n')
  const columnData = [
    { name: 'ticker', data: ['BTC', 'ETH'], type: 'STRING' as const },
    { name: 'weight', data: [0.5, 1.5], type: 'DOUBLE' as const },
  ]
  writeFileSync(at('tickers.parquet'), new Uint8Array(parquetWriteBuffer({ columnData })))
  return {
    at,
    async sql(...args: string[]) {
      let [stdout, stderr] = ['', '']
      const status = await run(['sql', ...args, '--data-dir', dataDir], {
        stdout: { write: (text: string) => (stdout += text) },
        stderr: { write: (text: string) => (stderr += text) },
        env: {},
        signal: new AbortController().signal,
      })
      return { status, stdout, stderr }
    },
  }
}

test('files of the user are tables of the schema own, and the provenance holds their hashes', async () => {
  const { at, sql } = openFolder()
  const out = at('out.json')
  const csv = at("my 'own'.csv")
  const attached = ['--attach', `w=${csv}`, '--attach', `Tickers=${at('tickers.parquet')}`]
  const query = 'SELECT day, ticker FROM own.w JOIN own.tickers USING (weight) ORDER BY day'
  expect(await sql(query, ...attached, '--out', out)).toMatchObject({ status: 0 })
  expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual([
    { day: '2026-08-01', ticker: 'BTC' },
    { day: '2026-08-02', ticker: 'ETH' },
  ])
  const { files } = JSON.parse(readFileSync(`${out}.provenance.json`, 'utf8')) as { files: unknown }
  const sha256 = createHash('sha256').update(readFileSync(csv)).digest('hex')
  expect(files).toEqual([{ path: csv, sha256 }, expect.objectContaining({ path: at('tickers.parquet') })])
  expect((await sql('SELECT count(*) AS n FROM own.w', ...attached, '--json')).stdout).toContain('{"n":2}')
})

test('a file that cannot be attached is named, and attaching one opens no other and lets nothing be written', async () => {
  const { at, sql } = openFolder()
  writeFileSync(at('bad.parquet'), 'PAR1 this is none PAR1')
  writeFileSync(at('a[1].csv'), 'x\n1\n')
  const csv = at("my 'own'.csv")
  for (const [attachment, query, status, told] of [
    [`w=${at('none.csv')}`, 'FROM own.w', 1, `There is no file ${at('none.csv')}`],
    [`w=${at('.')}`, 'FROM own.w', 1, 'a folder'],
    [`w=${at('bad.parquet')}`, 'FROM own.w', 1, `${at('bad.parquet')} cannot be read`],
    [`w=${at('a[1].csv')}`, 'FROM own.w', 1, 'may not have'],
    ['w', 'FROM own.w', 2, '--attach must be NAME=FILE'],
    [`csv=${csv}`, 'FROM own.csv', 2, '--attach must be NAME=FILE'],
    [`w=${csv}`, 'FROM own.other', 1, 'other'],
    [`w=${csv}`, `FROM '${at('tickers.parquet')}'`, 2, 'is refused'],
    [`w=${csv}`, `COPY (SELECT 1) TO '${at('x.csv')}'`, 2, 'COPY is refused'],
    [`w=${csv}`, "FROM read_csv('/etc/passwd')", 2, 'read_csv is refused'],
  ] as const) {
    const { status: ended, stdout, stderr } = await sql(query, '--attach', attachment)
    expect([attachment, ended, stdout, stderr]).toEqual([attachment, status, '', expect.stringContaining(told)])
  }
  expect(await sql('FROM own.w', '--attach', `w=${csv}`, '--attach', `W=${csv}`)).toMatchObject({ status: 2 })
})
