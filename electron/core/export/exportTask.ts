import type { FormulaInput, SeriesTask, UnreadSlice } from '#core/series/readerTask.ts'
import type { FrameColumnKind } from '#core/series/readSeries.ts'
import type { Frame } from '#shared/contract/frame.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import type { CsvTextMode } from '#shared/units/csvCell.ts'

export interface ExportColumn {
  /** Name of the column in the file's header. */
  label: string
  kind: FrameColumnKind
}

/** Everything that a thread needs to write the pieces of a file. */
export interface ExportPlan {
  format: 'csv' | 'parquet'
  zone: string
  /** Form of the texts in a CSV: guarded against spreadsheet formulas, or exact. */
  text: CsvTextMode
  range: TimeRange
  /** True for raw events, whose rows may share a time and have microseconds. */
  isEvents: boolean
  tables: { task: SeriesTask; columns: ExportColumn[] }[]
  formulas: { label: string; formula: string; inputs: Record<string, FormulaInput> }[]
}

export type ExportTask =
  /** First step; returns the header of the file. */
  | { step: 'open'; plan: ExportPlan }
  /** Encodes the rows of a range; ranges come in order. The encoded rows may reuse the memory of the buffers. */
  | ({ step: 'part'; buffers: SharedArrayBuffer[] } & ExportPiece)
  /** Returns the end of the file, with the provenance. */
  | { step: 'finish'; provenance: string }

/** A range that is encoded in one step. */
export interface ExportPiece extends TimeRange {
  /**
   * The larger range that is read in one step, because reading a part of a file takes about as long as reading all of
   * it.
   */
  read: TimeRange
}

export interface ExportPart {
  /**
   * Encoded rows. The rows of a CSV are in shared memory, which is reused; memory that is transferred would have to be
   * allocated anew for every piece.
   */
  bytes: Uint8Array[]
  rows: number
  /** Number of rows left out because a later one has the same time. */
  duplicates: number
  unread: UnreadSlice[]
  /** Notes on the columns of formulas; only the first step returns them. */
  notes?: string[]
}

type EncodedRows = Uint8Array[]

/** Encodes rows as the bytes of a file. */
export interface RowEncoder {
  head(): Uint8Array
  /** Encodes rows in one or more pieces, which may reuse the memory of the buffers. */
  rows(frame: Frame, buffers: SharedArrayBuffer[]): EncodedRows | Promise<EncodedRows>
  end(provenance: string): Uint8Array | Promise<Uint8Array>
}
