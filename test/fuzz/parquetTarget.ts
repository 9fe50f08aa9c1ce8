import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import type { FileToValidate, ValidationResult } from '#core/downloads/guardedValidation.ts'
import { createGuard, GuardStopped } from '#core/guard/guard.ts'
import { startNodeProcess } from '#core/guard/guardedProcess.ts'
import { seededRandom, type Finding, type FuzzTarget } from './target.ts'

const fixtures = join(import.meta.dirname, '../fixtures/parquet')
const entry = new URL('../../electron/core/downloads/validationProcess.ts', import.meta.url)
const MEGABYTE = 2 ** 20

/** Builds a file of nearly a megabyte with all that a metric file has. */
function largeFile(rows = 4000, columns = 28): Uint8Array {
  const random = seededRandom(1)
  const columnData = Array.from({ length: columns }, (_, column) => ({
    name: `x${column}`,
    type: 'DOUBLE' as const,
    data: Array.from({ length: rows }, () => (random() < 0.1 ? null : random())),
  }))
  const time = BigInt64Array.from({ length: rows }, (_, row) => BigInt(1_785_542_400_000 + row * 60_000))
  return new Uint8Array(
    parquetWriteBuffer({ columnData: [{ name: 'time', type: 'INT64', data: time }, ...columnData] }),
  )
}

/** Mutants of a batch must together stay within the time of one. */
const BATCH = 20

/**
 * Validates mutants of Parquet files, every value of them, in a guarded process. None may take 2 s of processor time or 300 MB, none
 * may end the process or fail otherwise than as a damaged file.
 */
export function parquetTarget({ withLarge = false, batch = BATCH } = {}): FuzzTarget {
  const folder = mkdtempSync(join(tmpdir(), 'perpscope-fuzz-'))
  const guard = createGuard<readonly FileToValidate[], ValidationResult[]>({
    start: startNodeProcess,
    entry,
    name: 'Perpscope fuzzing',
    processes: 1,
    limitsOf: () => ({ cpuMs: 2000, wallMs: 60_000, memoryBytes: 300 * MEGABYTE }),
  })

  async function run(files: readonly (FileToValidate & { index: number })[]): Promise<Finding[]> {
    try {
      const results = await guard.run(files.map(({ path }) => ({ path, deep: true })))
      return results.flatMap((result, at) => {
        if ('validated' in result || result.error.code === 'corrupt-file') return []
        return [{ index: files[at].index, message: `${result.error.code}: ${result.detail.slice(0, 400)}` }]
      })
    } catch (thrown) {
      if (!(thrown instanceof GuardStopped)) throw thrown
      if (files.length === 1) return [{ index: files[0].index, message: thrown.reasonText }]
      const alone: Finding[] = []
      for (const file of files) alone.push(...(await run([file])))
      return alone
    }
  }

  return {
    name: 'parquet',
    batch,
    seeds: () => [
      ...readdirSync(fixtures)
        .filter((name) => name.endsWith('.parquet'))
        .map((name) => new Uint8Array(readFileSync(join(fixtures, name)))),
      ...(withLarge ? [largeFile()] : []),
    ],
    async feed(mutants) {
      const files = mutants.map(({ index, bytes }, at) => {
        const path = join(folder, `${at}.parquet`)
        writeFileSync(path, bytes)
        return { index, path }
      })
      return run(files)
    },
    async close() {
      await guard.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
