/** An instant as a person types it, in UTC; a time alone is of the given day. Null where it is none. */
export function instantOf(text: string, day: string): number | null {
  const full = /^\d{1,2}:\d{2}/.test(text)
    ? `${day}T${text.padStart(5, '0').replace(/^(\d):/, '0$1:')}`
    : text.replace(' ', 'T')
  const ms = Date.parse(/[zZ]|[+-]\d{2}:?\d{2}$/.test(full) || full.length <= 10 ? full : `${full}Z`)
  return Number.isNaN(ms) ? null : ms
}
