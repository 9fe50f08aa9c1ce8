/** Keys of amounts of money, which agree to 1e-11 of the capital. */
const moneyKeys = new Set(
  'equity price funding fee spread slippage traded total spreadNotional slippageNotional unknownSlippageNotional'.split(
    ' ',
  ),
)

const shown = (value: unknown) => JSON.stringify(value)?.slice(0, 80)
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/**
 * Lists the differences between a result and the expected one. Numbers agree to 1e-9 of the larger or to 1e-11; texts,
 * null and lengths agree exactly. Additional keys of the result are ignored, and of a warning only its code is
 * compared.
 */
export function testDifferences(expected: unknown, actual: unknown, capital = 1): string[] {
  const differences: string[] = []
  const visit = (wanted: unknown, found: unknown, at: string, key: string): void => {
    const differs = () => differences.push(`${at || 'answer'}: expected ${shown(wanted)}, found ${shown(found)}`)
    if (typeof wanted === 'number') {
      const isMoney = moneyKeys.has(key) && !at.startsWith('exposure')
      const floor = 1e-11 * (isMoney ? Math.max(1, capital) : 1)
      const allowed = 1e-9 * Math.max(Math.abs(wanted), Math.abs(Number(found))) + floor
      if (typeof found !== 'number' || !(Math.abs(found - wanted) <= allowed)) differs()
    } else if (Array.isArray(wanted)) {
      if (!Array.isArray(found) || found.length !== wanted.length) return void differs()
      wanted.forEach((each, place) => visit(each, found[place], `${at}[${place}]`, key))
    } else if (isRecord(wanted)) {
      if (!isRecord(found) || Array.isArray(found)) return void differs()
      for (const [name, each] of Object.entries(wanted)) {
        if (!(name in found)) differences.push(`${at}: there is no ${name}`)
        else if (!(name === 'message' && at.startsWith('warnings')))
          visit(each, found[name], at ? `${at}.${name}` : name, name)
      }
    } else if (wanted !== found) differs()
  }
  visit(expected, actual, '', '')
  return differences
}
