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
  /** The rows of a range; ranges come in order. Encoded rows may take the memory of the buffers. */
  | ({ step: 'part'; buffers: ArrayBuffer[] } & ExportPiece)
  /** Gives the end of the file, with what there is to say about it. */
  | { step: 'finish'; provenance: string }

/** A range that is encoded at once. */
export interface ExportPiece extends TimeRange {
  /** Range around it that is read at once, because reading a part of a file costs about as much as reading all of it. */
  read: TimeRange
}

export interface ExportPart {
  bytes: Uint8Array<ArrayBuffer>[]
  rows: number
  /** Number of rows left out because a later one has the same time. */
  duplicates: number
  unread: UnreadSlice[]
  /** Facts on the columns of formulas; known from the head on. */
  notes?: string[]
}

type EncodedRows = Uint8Array<ArrayBuffer>[]

/** Turns rows into the bytes of a file. */
export interface RowEncoder {
  head(): Uint8Array<ArrayBuffer>
  /** Encodes rows, in pieces of a few megabytes, which may take the memory of the buffers. */
  rows(frame: Frame, buffers: ArrayBuffer[]): EncodedRows | Promise<EncodedRows>
  end(provenance: string): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>
}
