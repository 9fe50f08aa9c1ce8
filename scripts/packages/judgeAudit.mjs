/** Judges what npm's audit says about the packages that are part of the program. */

/**
 * @param {string} answer what `npm audit --json` printed
 * @param {ReadonlySet<string>} shipped names of the packages in the program
 * @returns {{ state: 'unknown' | 'clean' | 'affected', lines: string[] }}
 */
export function judgeAudit(answer, shipped) {
  const report = parsed(answer)
  if (!report?.vulnerabilities) {
    const reason = report?.message ?? report?.error?.summary ?? 'no answer'
    return {
      state: 'unknown',
      lines: [`Not checked: the registry does not answer questions about weaknesses (${reason}).`],
    }
  }
  const all = Object.values(report.vulnerabilities)
  const ofProgram = all.filter(({ name }) => shipped.has(name))
  const others = all.length - ofProgram.length
  const lines = ofProgram.map(({ name, severity, range, via }) => `${severity}: ${name} ${range}: ${titlesOf(via)}`)
  if (others > 0) lines.push(`${others} more in packages that only build or test; “npm audit” lists them.`)
  if (ofProgram.length > 0) return { state: 'affected', lines }
  return { state: 'clean', lines: [`No known weakness in the ${shipped.size} packages of the program.`, ...lines] }
}

function parsed(answer) {
  try {
    return JSON.parse(answer)
  } catch {
    return null
  }
}

const titlesOf = (via) =>
  via.map((each) => (typeof each === 'string' ? `through ${each}` : `${each.title} ${each.url}`)).join('; ')
