export const MOST_CHECK_NAME_CHARACTERS = 100

/** How the inbox names what a scheduled run could not do, before the name of its set or study. */
export const SCHEDULE_ENTRY = 'schedule '

/** Stands for every symbol of a venue, or for every venue, in the rule of a check. */
export const EVERY = '*'
