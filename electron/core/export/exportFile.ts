import { AppError } from '#shared/contract/errors.ts'
import type { Column, Frame } from '#shared/contract/frame.ts'
import type { Series } from '#shared/formula/series.ts'
import { attempt, cutTo, readSettled } from '#core/series/evaluateColumns.ts'
import { readSeries } from '#core/series/readSeries.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import type { UnreadSlice } from '#core/series/readerTask.ts'
import { CsvEncoder } from './csvEncoder.ts'
import type { ExportColumn, ExportPart, ExportPlan, RowEncoder } from './exportTask.ts'
import { joinOnTime } from '#shared/export/joinOnTime.ts'
import { ParquetEncoder } from './parquetEncoder.ts'

/** A file in the making: its columns, and the formulas' results for the whole range. */
export class ExportFile {
  private readonly plan: ExportPlan
  private readonly encoder: RowEncoder
  private readonly computed: (Series & { notes: string[] })[]
  private pendingUnread: UnreadSlice[] = []
  private pendingDuplicates = 0

  constructor(plan: ExportPlan) {
    this.plan = plan
    this.computed = plan.formulas.map(({ label, formula, inputs }) => {
      const read = readSettled({ inputs, startMs: plan.range.startMs }, [formula])
      this.pendingUnread.push(...Object.values(read.unread).flat())
      this.pendingDuplicates += read.duplicates
      const { series, problem } = attempt(formula, read.inputs)
      if (series) return { ...cutTo(series, plan.range), notes: series.notes }
      throw new AppError('bad-input', `${label}: ${problem.message} (character ${problem.start + 1})`)
    })
    const columns: ExportColumn[] = [
      ...plan.tables.flatMap((table) => table.columns),
      ...plan.formulas.map(({ label }, at) => ({ label: this.labelOf(label, at), kind: 'number' as const })),
    ]
    this.encoder = plan.format === 'csv' ? new CsvEncoder(columns, plan) : new ParquetEncoder(columns, plan.isEvents)
  }

  /** Facts on the columns of formulas. */
  get notes(): string[] {
    return this.computed.flatMap(({ notes }, at) => notes.map((note) => `${this.plan.formulas[at].label}: ${note}`))
  }

  /** Names a column of a CSV with its notes; a Parquet file has them in its metadata, because its names are typed in queries. */
  private labelOf(label: string, at: number): string {
    const { notes } = this.computed[at]
    return this.plan.format === 'csv' && notes.length > 0 ? `${label} (${notes.join('; ')})` : label
  }

  head(): Uint8Array {
    return this.encoder.head()
  }

  async part(range: TimeRange): Promise<ExportPart> {
    const unread = this.pendingUnread
    this.pendingUnread = []
    let duplicates = this.pendingDuplicates
    this.pendingDuplicates = 0
    const tables = this.plan.tables.map(({ task }) => {
      const slices = task.slices
        .map((slice) => ({
          ...slice,
          startMs: Math.max(slice.startMs, range.startMs),
          endMs: Math.min(slice.endMs, range.endMs),
        }))
        .filter(({ startMs, endMs }) => startMs < endMs)
      const rows = readSeries({ ...task, slices })
      unread.push(...rows.unread)
      duplicates += rows.duplicates
      return rows.frame
    })
    const frame = joinOnTime([...tables, ...this.computed.map((series) => frameOf(cutTo(series, range)))])
    return { bytes: await this.encoder.rows(frame), rows: frame.rows, duplicates, unread }
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
