/** UTC day from which files hold individual days; before it they hold whole calendar months. */
export const dailyFilesFrom = '2026-08-01'
