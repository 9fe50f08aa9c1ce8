import { AppError } from '#shared/contract/errors.ts'
import type { Column, Frame } from '#shared/contract/frame.ts'
import type { Series } from '#shared/formula/series.ts'
import { tryEvaluate, cutTo, readSettled } from '#core/series/evaluateColumns.ts'
import { readSeries, NumberArrayPool } from '#core/series/readSeries.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import type { UnreadSlice } from '#core/series/readerTask.ts'
import { CsvEncoder } from './csvEncoder.ts'
import type { ExportColumn, ExportPart, ExportPiece, ExportPlan, RowEncoder } from './exportTask.ts'
import { joinOnTime } from '#shared/export/joinOnTime.ts'
import { lowerBound } from '#shared/search.ts'
import { ParquetEncoder } from './parquetEncoder.ts'

/** A file that is being written: its columns, and the results of its formulas for the whole range. */
export class ExportFile {
  private readonly plan: ExportPlan
  private readonly encoder: RowEncoder
  private readonly computed: (Series & { notes: string[] })[]
  private pendingUnread: UnreadSlice[] = []
  private pendingDuplicates = 0
  private readonly memory = new NumberArrayPool()
  /** The range read last; the next piece is probably another part of it. */
  private lastRead: { startMs: number; frame: Frame } | null = null

  constructor(plan: ExportPlan) {
    this.plan = plan
    this.computed = plan.formulas.map(({ label, formula, inputs }) => {
      const read = readSettled({ inputs, startMs: plan.range.startMs }, [formula])
      this.pendingUnread.push(...Object.values(read.unread).flat())
      this.pendingDuplicates += read.duplicates
      const { series, problem } = tryEvaluate(formula, read.inputs)
      if (series) return { ...cutTo(series, plan.range), notes: series.notes }
      throw new AppError('bad-input', `${label}: ${problem.message} (character ${problem.start + 1})`)
    })
    const columns: ExportColumn[] = [
      ...plan.tables.flatMap((table) => table.columns),
      ...plan.formulas.map(({ label }, index) => ({ label: this.labelOf(label, index), kind: 'number' as const })),
    ]
    this.encoder = plan.format === 'csv' ? new CsvEncoder(columns, plan) : new ParquetEncoder(columns, plan.isEvents)
  }

  /** Notes on the columns of formulas. */
  get notes(): string[] {
    return this.computed.flatMap(({ notes }, index) =>
      notes.map((note) => `${this.plan.formulas[index].label}: ${note}`),
    )
  }

  /**
   * Returns the column name of a formula; in a CSV it ends with the notes. A Parquet file has the notes in its
   * metadata, because users type its column names in queries.
   */
  private labelOf(label: string, index: number): string {
    const { notes } = this.computed[index]
    return this.plan.format === 'csv' && notes.length > 0 ? `${label} (${notes.join('; ')})` : label
  }

  head(): Uint8Array {
    return this.encoder.head()
  }

  async part({ startMs, endMs, read, buffers }: ExportPiece & { buffers: SharedArrayBuffer[] }): Promise<ExportPart> {
    if (this.lastRead?.startMs !== read.startMs) {
      // The rows of a formula may share their memory with its whole result, which is needed until the end.
      if (this.lastRead && this.computed.length === 0) this.memory.takeBack(this.lastRead.frame)
      this.lastRead = { startMs: read.startMs, frame: this.read(read) }
    }
    const frame = rowsBetween(this.lastRead.frame, { startMs, endMs })
    const unread = this.pendingUnread
    const duplicates = this.pendingDuplicates
    this.pendingUnread = []
    this.pendingDuplicates = 0
    return { bytes: await this.encoder.rows(frame, buffers), rows: frame.rows, duplicates, unread }
  }

  private read(range: TimeRange): Frame {
    const tables = this.plan.tables.map(({ task }) => {
      const slices = task.slices
        .map((slice) => ({
          ...slice,
          startMs: Math.max(slice.startMs, range.startMs),
          endMs: Math.min(slice.endMs, range.endMs),
        }))
        .filter(({ startMs, endMs }) => startMs < endMs)
      const rows = readSeries({ ...task, slices }, this.memory)
      this.pendingUnread.push(...rows.unread)
      this.pendingDuplicates += rows.duplicates
      return rows.frame
    })
    return joinOnTime([...tables, ...this.computed.map((series) => frameOf(cutTo(series, range)))])
  }

  end(provenance: string): Uint8Array | Promise<Uint8Array> {
    return this.encoder.end(provenance)
  }
}

function frameOf({ intervalMs, firstSlot, values, valid }: Series): Frame {
  const times = values.map((_, row) => (firstSlot + row) * intervalMs)
  const columns: Column[] = [
    { name: 'time', kind: 'time', values: times, valid: null },
    { name: 'value', kind: 'number', values, valid },
  ]
  return { rows: values.length, columns }
}

/** Returns the rows of a frame in a time range; the columns share its memory. */
function rowsBetween(frame: Frame, { startMs, endMs }: TimeRange): Frame {
  const times = frame.columns[0].values
  const from = lowerBound(times, startMs)
  const to = lowerBound(times, endMs)
  if (from === 0 && to === frame.rows) return frame
  const columns = frame.columns.map(
    (column) =>
      ({
        ...column,
        values: column.values.subarray(from, to),
        valid: column.valid?.subarray(from, to) ?? null,
      }) as Column,
  )
  return { rows: to - from, columns }
}
