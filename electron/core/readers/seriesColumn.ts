import type { Column } from '#shared/contract/frame.ts'
import type { ParquetColumn, ParquetFile } from './parquetFile.ts'
import { readNumbers, readTexts, readTimesUs } from './readColumn.ts'
import type { RowSelection } from './rowSelection.ts'
import { TextDictionary } from './textDictionary.ts'

export type ColumnKind = Column['kind']

export const kindOf = ({ type, timestampUnit }: ParquetColumn): ColumnKind =>
  timestampUnit !== null ? 'time' : type === 'text' ? 'text' : 'number'

/** A column that grows together from files: what a file does not have is missing there. */
export class SeriesColumn {
  readonly name: string
  readonly kind: ColumnKind
  private readonly values: Float64Array | Int32Array
  private readonly valid: Uint8Array
  private readonly dictionary = new TextDictionary()

  constructor(name: string, kind: ColumnKind, rows: number) {
    this.name = name
    this.kind = kind
    this.values = kind === 'text' ? new Int32Array(rows) : new Float64Array(rows)
    this.valid = new Uint8Array(rows).fill(1)
  }

  /** Puts a file's selected rows from `at` on. */
  fill(file: ParquetFile, selection: RowSelection, at: number): void {
    const { range, order } = selection
    if (!order) return this.decode(file, range, { values: this.values, valid: this.valid, at })
    const rows = range.to - range.from
    const values = this.kind === 'text' ? new Int32Array(rows) : new Float64Array(rows)
    const valid = new Uint8Array(rows).fill(1)
    this.decode(file, range, { values, valid, at: 0 })
    for (let i = 0; i < order.length; i++) {
      this.values[at + i] = values[order[i]]
      this.valid[at + i] = valid[order[i]]
    }
  }

  miss(at: number, rows: number): void {
    this.valid.fill(0, at, at + rows)
  }

  finish(): Column {
    const valid = this.valid.includes(0) ? this.valid : null
    const { name, kind, values } = this
    if (kind === 'text') {
      return { name, kind, values: values as Int32Array, dictionary: this.dictionary.texts, valid }
    }
    return { name, kind, values: values as Float64Array, valid }
  }

  private decode(
    file: ParquetFile,
    range: RowSelection['range'],
    target: { values: Float64Array | Int32Array; valid: Uint8Array; at: number },
  ): void {
    const { values } = target
    if (values instanceof Int32Array) {
      readTexts(file, this.name, range, this.dictionary, { ...target, values })
    } else if (this.kind === 'number') {
      readNumbers(file, this.name, range, { ...target, values })
    } else {
      readTimesUs(file, this.name, range, { ...target, values })
      const end = target.at + range.to - range.from
      for (let row = target.at; row < end; row++) values[row] /= 1000
    }
  }
}
