import { closeSync, renameSync, rmSync, writeSync } from 'node:fs'
import { extname } from 'node:path'
import { attemptWrite } from '#shared/contract/writeError.ts'
import { exactCsvCell } from '#shared/units/csvCell.ts'
import { openPart } from '#core/partFile.ts'
import { resolveLinks } from '#core/resolveLinks.ts'
import { numberCells } from '#core/parquet/negativeZero.ts'
import { createZstdWriter } from '#core/parquet/zstdWriter.ts'

/** Columns of a panel to write, besides time and symbol. */
interface PanelShape {
  columns: readonly string[]
  hasMember: boolean
}

/** Consecutive rows of a panel, with the columns of its shape. */
export interface PanelRows {
  times: readonly number[]
  symbols: readonly string[]
  /** Values by column and row; null or NaN if missing. */
  columns: readonly (readonly (number | null)[])[]
  /** Membership by row; null if the panel has no such column. */
  member: readonly boolean[] | null
}

interface PanelEncoder {
  head(): string | Uint8Array
  rows(rows: PanelRows): Promise<string | Uint8Array>
  end(): Promise<string | Uint8Array>
}

/** Writes rows in parts to a CSV or Parquet file, completely or not at all; returns the number of rows. */
export async function writePanelRows(shape: PanelShape, parts: Iterable<PanelRows>, outPath: string): Promise<number> {
  const encoder = extname(outPath).toLowerCase() === '.csv' ? csvEncoder(shape) : parquetEncoder(shape)
  const target = resolveLinks(outPath)
  // Reading the parts may fail too, which is no fault of the file that is written.
  const attempt = <Result>(writing: () => Result) => attemptWrite(outPath, writing)
  let count = 0
  const { path: partPath, descriptor: fd } = attempt(() => openPart(target))
  try {
    const append = (content: string | Uint8Array) => attempt(() => write(fd, content))
    try {
      append(encoder.head())
      for (const rows of parts) {
        append(await encoder.rows(rows))
        count += rows.times.length
      }
      append(await encoder.end())
    } finally {
      closeSync(fd)
    }
    attempt(() => renameSync(partPath, target))
  } finally {
    rmSync(partPath, { force: true })
  }
  return count
}

function write(fd: number, content: string | Uint8Array): void {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done)
}

const isMissing = (value: number | null): value is null => value === null || Number.isNaN(value)

/** Creates an encoder of CSV. It writes texts unchanged, because programs read the file again. */
function csvEncoder({ columns: names, hasMember }: PanelShape): PanelEncoder {
  const header = ['time', 'symbol', ...names, ...(hasMember ? ['member'] : [])]
  return {
    head: () => `${header.map(exactCsvCell).join(',')}\n`,
    rows({ times, symbols, columns, member }) {
      const lines = times.map((time, row) => {
        const values = columns.map((column) => exactCsvCell(isMissing(column[row]) ? null : column[row]))
        return [time, exactCsvCell(symbols[row]), ...values, ...(member ? [member[row]] : [])].join(',')
      })
      return Promise.resolve(lines.map((line) => `${line}\n`).join(''))
    },
    end: () => Promise.resolve(''),
  }
}

function parquetEncoder({ columns: names, hasMember }: PanelShape): PanelEncoder {
  const { bytes, writer } = createZstdWriter([
    { name: 'time', repetition_type: 'REQUIRED', type: 'INT64' },
    { name: 'symbol', repetition_type: 'REQUIRED', type: 'BYTE_ARRAY', converted_type: 'UTF8' },
    ...names.map((name) => ({ name, repetition_type: 'OPTIONAL', type: 'DOUBLE' }) as const),
    ...(hasMember ? [{ name: 'member', repetition_type: 'REQUIRED', type: 'BOOLEAN' } as const] : []),
  ])
  const takeBytes = () => {
    const encoded = new Uint8Array(bytes.buffer, 0, bytes.index).slice()
    bytes.index = 0
    return encoded
  }
  return {
    head: takeBytes,
    async rows({ times, symbols, columns, member }) {
      const values = columns.map((column) => column.map((value) => (isMissing(value) ? null : value)))
      const columnData = [
        { name: 'time', data: BigInt64Array.from(times, BigInt) },
        { name: 'symbol', data: [...symbols] },
        ...names.map((name, index) => numberCells(name, values[index])),
        ...(member ? [{ name: 'member', data: [...member] }] : []),
      ]
      await writer.write({ columnData, rowGroupSize: times.length })
      return takeBytes()
    },
    async end() {
      await writer.finish()
      return takeBytes()
    },
  }
}
