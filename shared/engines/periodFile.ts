/**
 * Regular expression for the names of raw files, in the syntax of all engines. In a shared store, the beginning of a
 * hash follows the period.
 */
export const periodFilePattern = '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$'
