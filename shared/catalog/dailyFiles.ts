/** UTC day from which files hold single days; before it they hold whole calendar months. */
export const dailyFilesFrom = '2026-08-01'
