/** A column of a series, with the parts of its identity that a label may name. */
interface LabelledColumn {
  dataset: string
  exchange: string
  symbol: string
  interval: string
  timestamp: string
  /** `served` or `computed`. */
  origin: string
  column: string
}

const identityParts = ['origin', 'dataset', 'exchange', 'symbol', 'interval', 'timestamp'] as const

/**
 * Builds unique labels for the columns of a table. They are the column names; if names repeat, each label begins with
 * the parts of the identity in which the columns differ.
 */
export function columnLabels(columns: readonly LabelledColumn[]): string[] {
  const differing = identityParts.filter((part) => new Set(columns.map((column) => column[part])).size > 1)
  const areNamesUnique = new Set(columns.map(({ column }) => column)).size === columns.length
  const labels = areNamesUnique
    ? columns.map(({ column }) => column)
    : columns.map((column) => [...differing.map((part) => column[part]), column.column].join('.'))
  return distinctLabels(labels)
}

/** Adds numbers to repeated names, and to the name `time`, which is reserved for the time column. */
export function distinctLabels(labels: readonly string[]): string[] {
  const usedLabels = new Set(['time'])
  return labels.map((label) => {
    let name = label
    for (let count = 2; usedLabels.has(name); count++) name = `${label}_${count}`
    usedLabels.add(name)
    return name
  })
}
