import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { AppError } from '#shared/contract/errors.ts'
import { codeOf, notFileText, unopenedText } from '#shared/units/fileKind.ts'
import type { OwnTable } from './sqlTask.ts'

/** A file of the user that a query reads as the table `own.NAME`. */
export interface AttachedFile {
  name: string
  /** Absolute path of a CSV or Parquet file. */
  path: string
}

/** The table of an attached file, and what its provenance says about the file. */
export interface AttachedTable extends OwnTable {
  path: string
  sha256: string
  sizeBytes: number
}

/** Characters of a pattern, which DuckDB would match with the names of other files. */
const patternCharacters = /[*?[\]]/

/** Reads an attached file once, and writes the statement that creates its table. */
export async function attachedTable({ name, path }: AttachedFile, signal?: AbortSignal): Promise<AttachedTable> {
  const facts = await stat(path).catch((cause: unknown) => {
    throw unopened(path, cause)
  })
  const problem = notFileText(path, facts)
  if (problem) throw new AppError('bad-input', problem)
  if (patternCharacters.test(path))
    throw new AppError('bad-input', `${path}: a file that is attached may not have * ? [ or ] in its path.`)
  const { sha256, isParquet } = await contentOf(path, signal)
  const reader = isParquet ? 'read_parquet' : 'read_csv'
  // The hash makes the statement another one when the file has changed, so that no earlier database is used.
  const scan = `${reader}('${path.replaceAll("'", "''")}', hive_partitioning = false) /* ${sha256} */`
  const statement = `CREATE VIEW own."${name}" AS SELECT * FROM ${scan}`
  return { path, statement, sha256, sizeBytes: facts.size }
}

const unopened = (path: string, cause: unknown) =>
  new AppError('bad-input', unopenedText(path, codeOf(cause)), { cause })

async function contentOf(path: string, signal?: AbortSignal): Promise<{ sha256: string; isParquet: boolean }> {
  const hash = createHash('sha256')
  let head = Buffer.alloc(0)
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 20, signal })) {
      hash.update(chunk as Buffer)
      if (head.length < 4) head = Buffer.concat([head, chunk as Buffer])
    }
  } catch (cause) {
    signal?.throwIfAborted()
    throw unopened(path, cause)
  }
  return { sha256: hash.digest('hex'), isParquet: head.subarray(0, 4).toString('latin1') === 'PAR1' }
}
