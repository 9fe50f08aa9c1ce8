import { createHash } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '#shared/contract/errors.ts'
import type { Frame } from '#shared/contract/frame.ts'
import { writeError } from '#shared/contract/writeError.ts'
import { parseResultType } from '#shared/sql/resultType.ts'
import { fileNameWithEnding } from '#shared/units/fileNames.ts'
import { makeFolders } from '#core/store/makeFolders.ts'
import type { OpenedQuery } from './sqlService.ts'
import { storedTypeOf } from './storedValues.ts'
import { encodeResult, PROVENANCE_SUFFIX } from './writeResult.ts'

/** Maximum number of rows of a panel; a study reads all of them into memory. */
const MOST_PANEL_ROWS = 20_000_000

/** Columns that identify a row of a panel. */
const keyColumns = ['time', 'symbol']

/** Ways of storing a column that can be the time of a panel. */
const timeKinds: ReadonlySet<string> = new Set(['instant', 'day', 'integer', 'decimal', 'float', 'double'])

/** Throws if a result cannot be a panel; the message says why. */
function checkPanelColumns({ columns, rows, isCut }: OpenedQuery): void {
  const missingColumns = keyColumns.filter((name) => !columns.some((column) => column.name === name))
  if (missingColumns.length > 0)
    throw new AppError(
      'bad-input',
      `A panel needs the columns time and symbol; this result has no ${missingColumns.join(' and no ')}.`,
    )
  const { type } = columns.find(({ name }) => name === 'time')!
  if (!timeKinds.has(storedTypeOf(parseResultType(type)).kind))
    throw new AppError(
      'bad-input',
      'The column time of a panel must be a timestamp, a date or milliseconds; in this result it is text.',
    )
  if (rows === 0) throw new AppError('bad-input', 'The result has no rows to study.')
  if (isCut || rows > MOST_PANEL_ROWS) throw new AppError('too-large', 'The result is too large for a panel.')
}

/**
 * Writes a result as a panel, with a provenance file. The panel's file name is `name` and a hash of the content.
 * @returns its path
 */
export async function writeResultPanel(
  folder: string,
  name: string,
  result: OpenedQuery,
  pages: AsyncIterable<Frame>,
  provenance: string,
): Promise<string> {
  checkPanelColumns(result)
  makeFolders(folder)
  const hash = createHash('sha256')
  const pieces: Uint8Array[] = []
  for await (const piece of encodeResult('parquet', result.columns, pages, () => '')) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
    hash.update(bytes)
    pieces.push(bytes)
  }
  const path = join(folder, fileNameWithEnding(name, `-${hash.digest('hex').slice(0, 12)}.parquet`))
  const part = `${path}.part`
  try {
    writeFileSync(part, Buffer.concat(pieces), { mode: 0o600 })
    renameSync(part, path)
    writeFileSync(`${path}${PROVENANCE_SUFFIX}`, provenance, { mode: 0o600 })
  } catch (thrown) {
    throw writeError(path, thrown)
  } finally {
    rmSync(part, { force: true })
  }
  return path
}
