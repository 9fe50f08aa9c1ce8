import type { FormulaColumn, SeriesTask, UnreadSlice } from '#core/series/readerTask.ts'
import type { ColumnKind } from '#core/series/readSeries.ts'
import type { Frame } from '#shared/contract/frame.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import type { CsvText } from '#shared/units/csvCell.ts'

export interface ExportColumn {
  /** In the file's head. */
  label: string
  kind: ColumnKind
}

/** Everything a thread must know to make the parts of a file. */
export interface ExportPlan {
  format: 'csv' | 'parquet'
  zone: string
  /** Text of a CSV. */
  text: CsvText
  range: TimeRange
  /** Rows may share an instant, and instants have microseconds. */
  isEvents: boolean
  tables: { task: SeriesTask; columns: ExportColumn[] }[]
  formulas: { label: string; formula: string; inputs: Record<string, FormulaColumn> }[]
}

export type ExportTask =
  /** Comes first, and gives the head of the file. */
  | { step: 'open'; plan: ExportPlan }
  /** The rows of a range; ranges come in order. */
  | ({ step: 'part' } & TimeRange)
  /** Gives the end of the file, with what there is to say about it. */
  | { step: 'finish'; provenance: string }

export interface ExportPart {
  bytes: Uint8Array[]
  rows: number
  /** Number of rows left out because a later one has the same time. */
  duplicates: number
  unread: UnreadSlice[]
  /** Facts on the columns of formulas; known from the head on. */
  notes?: string[]
}

/** Turns rows into the bytes of a file. */
export interface RowEncoder {
  head(): Uint8Array
  /** Encodes rows, in pieces of a few megabytes. */
  rows(frame: Frame): Uint8Array[] | Promise<Uint8Array[]>
  end(provenance: string): Uint8Array | Promise<Uint8Array>
}
