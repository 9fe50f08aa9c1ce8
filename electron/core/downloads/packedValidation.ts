import type { ColumnFacts, FileFacts } from '#core/store/fileTable.ts'
import type { TaskError } from '#core/threads/taskError.ts'
import type { ValidatedFile } from './verifyFile.ts'

export type ValidationResult = { validated: ValidatedFile } | TaskError

/** Facts with the numbers of all columns side by side: an object per column takes a message sixteen times as long to pass. */
interface PackedFacts extends Omit<FileFacts, 'columns'> {
  names: string[]
  types: string[]
  /** Nulls, min and max of each column. */
  values: Float64Array
}

/** A result as a guarded process sends it. */
export type PackedResult = { packed: Omit<ValidatedFile, 'facts'> & { facts: PackedFacts } } | TaskError

/** Packs the facts of a file, to be sent. */
export function packedFile({ facts: { columns, ...facts }, ...file }: ValidatedFile): PackedResult {
  const values = new Float64Array(columns.length * 3)
  columns.forEach(({ nulls, min, max }, index) => values.set([nulls, min ?? NaN, max ?? NaN], index * 3))
  const [names, types] = [columns.map(({ name }) => name), columns.map(({ type }) => type)]
  return { packed: { ...file, facts: { ...facts, names, types, values } } }
}

/** Restores what a guarded process sent. */
export function unpackedResult(result: PackedResult): ValidationResult {
  if (!('packed' in result)) return result
  const { facts: packed, ...file } = result.packed
  const { names, types, values, ...facts } = packed
  const present = (value: number) => (Number.isNaN(value) ? null : value)
  const columns = names.map((name, index): ColumnFacts => ({
    name,
    type: types[index],
    nulls: values[index * 3],
    min: present(values[index * 3 + 1]),
    max: present(values[index * 3 + 2]),
  }))
  return { validated: { ...file, facts: { ...facts, columns } } }
}
