import { isRecord, storedJsonOr } from './storedJson.ts'

/** A column as the stored catalog of a service describes it; texts that it lacks are empty. */
interface StoredField {
  name: string
  label: string
  description: string
  unit: string
}

interface StoredDataset {
  id: string
  name: string
  fields: readonly StoredField[]
}

/** Reads the stored catalog of a metrics service, which may be from another version of the program. */
export function storedDatasets(body: string | undefined): StoredDataset[] {
  const entries = storedJsonOr<unknown[]>(body, Array.isArray, []).filter(isRecord)
  return entries.map(({ id, name, fields }) => ({
    ...{ id: String(id), name: textOf(name) },
    fields: listOf(fields).filter(isRecord).flatMap(storedField),
  }))
}

const storedField = ({ name, label, description, unit }: Record<string, unknown>): StoredField[] =>
  typeof name === 'string' ? [{ name, label: textOf(label), description: textOf(description), unit: textOf(unit) }] : []

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
