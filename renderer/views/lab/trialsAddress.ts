/** Address of the trials of a family; of all families if it is empty. */
export const trialsAddress = (family: string) => ({ path: '/lab/trials', query: family ? { family } : {} })
