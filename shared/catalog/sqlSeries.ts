/** Venue and dataset under which stored results of SQL queries appear as series; no service has them. */
export const SQL_VENUE = 'sql'
export const SQL_DATASET = 'sql_result'

export const isSqlDataset = (id: string): boolean => id === SQL_DATASET

/** Builds the name of a result's column in files and documents, with its unit: `avg_close [price]`. */
export const sqlColumnName = (label: string, unit: string | null): string =>
  unit === null ? label : `${label} [${unit}]`

const nameWithUnitPattern = /^(.*) \[([^[\]]+)\]$/s

export const sqlColumnLabel = (name: string): string => nameWithUnitPattern.exec(name)?.[1] ?? name

/** Reads the unit from the name of a column; null if the name has none. */
export const sqlColumnUnit = (name: string): string | null => nameWithUnitPattern.exec(name)?.[2] ?? null
