/** Venue and dataset under which results of SQL queries are stored as series; no service has them. */
export const SQL_VENUE = 'sql'
export const SQL_DATASET = 'sql_result'

export const isSqlDataset = (id: string): boolean => id === SQL_DATASET

/** Builds the name of a column of a result in files and documents, which carries its unit: `avg_close [price]`. */
export const sqlColumnName = (label: string, unit: string | null): string =>
  unit === null ? label : `${label} [${unit}]`

const named = /^(.*) \[([^[\]]+)\]$/s

export const sqlColumnLabel = (name: string): string => named.exec(name)?.[1] ?? name

/** Reads the unit from the name of a column; null where it is unknown. */
export const sqlColumnUnit = (name: string): string | null => named.exec(name)?.[2] ?? null
