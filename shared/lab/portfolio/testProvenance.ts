import type { PortfolioResult } from './testResult.ts'

/** Latest run of a test in the ledger, with the files that it read. */
export interface RecordedRun {
  sequence: number
  /** Milliseconds since the epoch. */
  time: number
  hash: string
  inputs: readonly { name: string; sha256: string; bytes: number }[]
}

/** Facts about an export that the result does not contain. */
interface TestExport {
  /** Name of the exported table, such as `days`. */
  table: string
  /** Program and version. */
  writtenBy: string
  nowMs: number
  /** Run of the test in the ledger; null if there is none, for example after the ledger was lost. */
  recorded: RecordedRun | null
}

/**
 * Describes the origin of a tested portfolio's table: its document, its rows, its entry in the ledger, and the
 * unknown amounts.
 */
export function testProvenance(result: PortfolioResult, { table, writtenBy, nowMs, recorded }: TestExport): string {
  const { study, data, documentHash, family, overfitting, holdout, unknown, warnings } = result
  const { trials, trialsOnSource, deflated } = overfitting
  const facts = {
    writtenBy,
    writtenAt: new Date(nowMs).toISOString(),
    origin: 'tested portfolio of the Lab',
    test: study.name,
    table,
    times: 'UTC days; amounts in the quote currency, weights and exposure as shares of equity',
    documentHash,
    family,
    ledger: recorded && {
      sequence: recorded.sequence,
      time: new Date(recorded.time).toISOString(),
      hash: recorded.hash,
    },
    inputs: recorded?.inputs ?? [],
    trials,
    trialsOnSource,
    deflatedSharpe: deflated,
    holdout,
    unknown,
    warnings: warnings.map(({ message }) => message),
    rows: data,
    study,
  }
  return `${JSON.stringify(facts, null, 2)}\n`
}
