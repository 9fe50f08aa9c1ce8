/** UTC day from which each file contains one day; before it, each file contains a whole calendar month. */
export const dailyFilesFrom = '2026-08-01'
