/** Keys whose numbers are counts or times, which agree exactly. */
const exactKeys = new Set(
  (
    'n cells notMember noRow warmUp noSignal noEntryPrice noExitPrice beyondEnd thinTime used all thin empty times rows duplicates ' +
    'missingRows symbols firstTime lastTime present trueCells notEdge cooldown noValue count significant horizon quantile offset ' +
    'lag hour weekday dayOfMonth minutesToFunding version'
  ).split(' '),
)

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const shown = (value: unknown) => JSON.stringify(value)?.slice(0, 60)

/**
 * Lists the differences between a result and the expected one. Every expected key must exist: texts, null, lengths and
 * counts agree exactly, other numbers within the relative or absolute tolerance. Additional keys of the result are
 * ignored.
 */
export function studyDifferences(expected: unknown, actual: unknown, tolerance = 1e-9): string[] {
  const problems: string[] = []
  const visit = (wanted: unknown, found: unknown, at: string, key: string): void => {
    const differs = () => problems.push(`${at || 'result'}: expected ${shown(wanted)}, found ${shown(found)}`)
    if (Array.isArray(wanted)) {
      if (!Array.isArray(found) || found.length !== wanted.length) differs()
      else wanted.forEach((each, place) => visit(each, found[place], `${at}[${place}]`, key))
    } else if (isRecord(wanted)) {
      if (!isRecord(found) || Array.isArray(found)) return void differs()
      for (const [name, each] of Object.entries(wanted)) {
        if (name in found) visit(each, found[name], at ? `${at}.${name}` : name, name)
        else problems.push(`${at}: there is no ${name}`)
      }
    } else if (typeof wanted !== 'number') {
      if (wanted !== found) differs()
    } else if (typeof found !== 'number' || !Number.isFinite(found)) differs()
    else {
      const allowed = exactKeys.has(key) ? 0 : tolerance * Math.max(1, Math.abs(wanted))
      if (!(Math.abs(found - wanted) <= allowed)) differs()
    }
  }
  visit(expected, actual, '', '')
  return problems
}
