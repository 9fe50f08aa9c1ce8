/** A ledger without runs, for own datasets whose references are not tested. */
export const noRuns = () => ({ tables: { runsThatRead: () => 0 } })
