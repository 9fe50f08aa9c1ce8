/** Files are whole calendar months before this UTC day and single days from it on. */
export const dailyFilesFrom = '2026-08-01'
