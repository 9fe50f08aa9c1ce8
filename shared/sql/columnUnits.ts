/** Tells whether the dictionary’s units of a column are a list by venue, which is too wide for a line of a table. */
export const differsByVenue = (units: string): boolean => /^[^,]+: [^,]+, [^,]+: /.test(units)

/** Returns the unit of a column as a line of a table has room for it. */
export const shortUnits = (units: string): string => (differsByVenue(units) ? 'by venue' : units)
