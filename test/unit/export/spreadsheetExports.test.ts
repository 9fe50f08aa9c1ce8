import type { TableColumn } from '#shared/sheet/columns.ts'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CsvEncoder } from '#core/export/csvEncoder.ts'
import { requestHandlers } from '#core/handlers/requests.ts'
import { reconciliationCsv } from '#core/handlers/raw.ts'
import { writePanelRows } from '#core/lab/panelRows.ts'
import { createRequestLog } from '#core/requests/requestLog.ts'
import { createResultEncoder } from '#core/sql/resultFile.ts'
import type { Reconciliation } from '#shared/contract/areas/raw.ts'
import type { SqlColumnFacts } from '#shared/contract/areas/sql.ts'
import { type Frame, textColumn, timeColumn } from '#shared/contract/frame.ts'
import { readSymbolLists, writeListEntries, writeSymbolLists } from '#shared/contract/listsFile.ts'
import { dayTableCsv } from '#shared/lab/portfolio/portfolioTables.ts'
import { csvOf } from '#shared/lab/studyTables.ts'
import { csvCell, exactCsvCell, tsvText } from '#shared/units/csvCell.ts'
import { terminalText } from '#shared/units/terminalText.ts'
import { tearSheetCsv } from '../../../electron/cli/tearsheet/tearSheetCsv.ts'
import { createOutput } from '../../../electron/cli/print.ts'
import { createRowWriter } from '../../../electron/cli/rowWriter.ts'
import { frameCsv } from '../../../renderer/export/csv.ts'
import { tsvOf } from '../../../renderer/tables/useCopy.ts'
import { copiedText } from '../../../renderer/views/sql/resultColumns.ts'
import { fakeHost } from '../../fakes/fakePorts.ts'

/**
 * Names and cells that some spreadsheet runs as a formula, either directly or after it has split a line at its own
 * separator.
 */
const attacks = [
  '=1+1',
  '+1',
  '-1',
  '@x',
  'a;=1+1',
  'a\t=1+1',
  '\n=1',
  '\r\n@x',
  '\t=1',
  ' =1',
  '"=1"',
  '\u200b=1',
  '＝1+1',
  '＋1',
  '－1',
  '＠x',
  '﹦1',
]

const frame: Frame = {
  rows: attacks.length,
  columns: [
    timeColumn(
      'time',
      attacks.map(() => 0),
    ),
    textColumn('=head', attacks),
  ],
}
const textOnly: Frame = { rows: attacks.length, columns: frame.columns.slice(1) }
const sqlColumn = { name: '=head', type: 'VARCHAR', kind: 'text' } as const

function readCommand(isTerminal: boolean): string {
  let stdout = ''
  const sink = { isTTY: isTerminal, write: (each: string | Uint8Array) => (stdout += Buffer.from(each).toString()) }
  const out = createOutput({ json: false, quiet: false, env: {}, stdout: sink, stderr: { write() {} } })
  const writer = createRowWriter({ format: 'csv', text: 'guarded', names: ['=head'], isEvents: true }, out)
  writer.write(frame)
  writer.end()
  return stdout
}

function seriesExport(): string {
  const columns = [{ label: '=head', kind: 'text' as const }]
  const encoder = new CsvEncoder(columns, { zone: 'UTC', text: 'guarded' })
  return Buffer.concat([encoder.head(), ...encoder.rows(frame)]).toString()
}

async function sqlExport(): Promise<string> {
  const encoder = createResultEncoder('csv', [sqlColumn])
  return `${String(encoder.head(''))}${String(await encoder.rows(textOnly))}`
}

async function requestsExport(): Promise<string> {
  const log = createRequestLog(() => {})
  for (const error of [...attacks, '=head'])
    log.record({ startedAtMs: 0, method: 'GET', address: 'https://x/', status: 200, bytes: 0, durationMs: 1, error })
  const host = fakeHost()
  await requestHandlers(log)['requests.export']({}, { host } as never)
  return host.saved[0].text
}

function reconciliationExport(): string {
  const columns = [...attacks, '=head'].map((name) => ({ name, rows: 1, largestAtMs: null }))
  return [...reconciliationCsv({ columns } as unknown as Reconciliation)].join('')
}

function tearSheetExport(): string {
  const definitions = [...attacks, '=head'].map((id) => ({ id, formula: id }))
  const rest = { windows: [], years: [], drawdowns: [], extremes: {}, warnings: [], figures: {}, benchmark: null }
  const document = { portfolio: '=name', rolling: { windowDays: 30, figures: {} }, definitions, ...rest }
  return tearSheetCsv(document as never)
}

/** Exports by which text of a service, a file or a user gets into a CSV. */
const csvExports: Record<string, () => string | Promise<string>> = {
  'export of metrics, formulas and raw events': seriesExport,
  'read --format csv': () => readCommand(false),
  'the CSV of a chart or of a portfolio card': () => frameCsv(frame, 'guarded'),
  'the result of a query': sqlExport,
  'the tables of a study and of a tested portfolio': () =>
    csvOf([...attacks.map((attack) => ({ '=head': attack })), ...attacks.map((attack) => ({ [attack]: 1 }))]),
  'days and weights of a tested portfolio': () =>
    dayTableCsv({ days: ['2026-01-01'], columns: [...attacks, '=head'].map((name) => ({ name, values: [1] })) }),
  'portfolio tearsheet --format csv': tearSheetExport,
  'the list of requests': requestsExport,
  'the comparison of computed with served values': reconciliationExport,
}

/** Copied texts, whose cells are separated by tabs. */
const copies: Record<string, () => string> = {
  'rows copied from any table': () => {
    const columns = [{ key: 'a', title: '=head', kind: 'text' }] as unknown as TableColumn[]
    return tsvOf(attacks.keys(), columns, (row) => attacks[row], 'utc')
  },
  'rows copied from the result of a query': () =>
    copiedText('tsv', textOnly, [{ ...sqlColumn, unit: null, isMixed: false } as unknown as SqlColumnFacts]),
}

/**
 * Returns the cells that some program would run, whichever separator it uses to split the text; numbers are not
 * formulas.
 */
const cellsThatRun = (text: string): string[] =>
  [/[\r\n]+/, /[\t\r\n]+/, /[;\r\n]+/, /[,\r\n]+/, /[;,\t\r\n]+/].flatMap((separator) =>
    text
      .split(separator)
      .filter((cell) => /^[\s\p{Cf}"]*[=+\-@＝＋－＠﹢﹣﹦﹫]/u.test(cell) && Number.isNaN(Number(cell))),
  )

describe('names and cells that a spreadsheet would run are made harmless in', () => {
  test.each(Object.entries(csvExports))('%s', async (_what, exported) => {
    const text = await exported()
    for (const attack of [...attacks, '=head']) expect(text).toContain(csvCell(attack))
    expect(cellsThatRun(text)).toEqual([])
  })

  test.each(Object.entries(copies))('%s', (_what, copied) => {
    const text = copied()
    for (const attack of [...attacks, '=head']) expect(text).toContain(tsvText(attack))
    expect(cellsThatRun(text)).toEqual([])
  })

  test('read --format csv on a terminal', () => {
    const text = readCommand(true)
    for (const attack of attacks) expect(text).toContain(terminalText(csvCell(attack)))
    expect(cellsThatRun(text)).toEqual([])
  })
})

describe('text stays exact where programs read it back:', () => {
  test('lists of symbols', () => {
    // Blanks around a name are not part of it.
    const names = attacks.filter((attack) => attack === attack.trim())
    const symbols = names.map((name) => ({ list: name, exchange: name, symbol: name, group: null }))
    expect(readSymbolLists(writeSymbolLists(symbols))).toEqual({ symbols })
    expect(writeListEntries(symbols)).toContain('\n=1+1,=1+1,\n')
  })

  test('panels of studies', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'perpscope-panel-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'panel.csv')
    const rows = { times: attacks.map(() => 0), symbols: attacks, columns: [attacks.map(() => 1)], member: null }
    await writePanelRows({ columns: ['=head'], hasMember: false }, [rows], path)
    const text = readFileSync(path, 'utf8')
    expect(text.split('\n')[0]).toBe('time,symbol,=head')
    for (const attack of attacks) expect(text).toContain(`0,${exactCsvCell(attack)},1\n`)
  })
})

test('what is asked for exactly is written exactly', async () => {
  const exact = await frameCsv(frame, 'exact')
  for (const attack of attacks) expect(exact).toContain(exactCsvCell(attack))
})
