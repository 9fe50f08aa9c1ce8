import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { App } from '#core/app.ts'
import { withoutSeries } from '#core/lab/lab.ts'
import { recordedRun } from '#core/lab/ledger/ledgerReport.ts'
import { writeTestTable } from '#core/lab/portfolio/writeTestTable.ts'
import type { TestFormat, TestTable } from '#shared/contract/areas/lab.ts'
import { attemptWrite } from '#shared/contract/writeError.ts'
import type { LabResult } from '#shared/lab/labResult.ts'
import { portfolioTables } from '#shared/lab/portfolio/portfolioTables.ts'
import { type RecordedRun, testProvenance } from '#shared/lab/portfolio/testProvenance.ts'
import type { PortfolioResult } from '#shared/lab/portfolio/testResult.ts'
import { studyTables } from '#shared/lab/studyTables.ts'
import { version } from '../version.ts'

/**
 * Writes the series of a test for other programs: days and weights with their provenance, the weights also in the
 * portfolio service's format.
 */
function writeTestSeries(folder: string, result: PortfolioResult, recorded: RecordedRun | null): void {
  const write = (table: TestTable, format: TestFormat) => {
    const facts = { table, writtenBy: `Perpscope ${version}`, nowMs: Date.now(), recorded }
    const provenance = testProvenance(result, facts)
    const path = join(folder, `${table}.${format}`)
    attemptWrite(path, () => {
      writeFileSync(path, writeTestTable(result, { table, format, provenance }))
      if (format !== 'parquet') writeFileSync(`${path}.provenance.json`, provenance)
    })
  }
  write('days', 'csv')
  write('days', 'parquet')
  if (!result.dailyWeights) return
  write('weights', 'csv')
  write('weights', 'parquet')
  write('weights', 'json')
}

/** Writes a result with its document and its tables, and the series of a test. */
export function writeResult(folder: string, result: LabResult, { ledger }: Pick<App, 'ledger'>): void {
  attemptWrite(folder, () => mkdirSync(folder, { recursive: true }))
  const write = (name: string, text: string) =>
    attemptWrite(join(folder, name), () => writeFileSync(join(folder, name), text))
  const isTest = result.kind === 'portfolio'
  write('study.json', `${JSON.stringify(result.study, null, 2)}\n`)
  write('result.json', `${JSON.stringify(isTest ? withoutSeries(result) : result)}\n`)
  for (const { name, csv } of isTest ? portfolioTables(result) : studyTables(result)) write(`${name}.csv`, csv)
  if (isTest) writeTestSeries(folder, result, recordedRun(ledger().tables, result.documentHash))
}
