#!/usr/bin/env node
/**
 * Asks the npm registry for known vulnerabilities of the packages that ship with the program. `npm audit --omit=dev`
 * would miss most of them, because bundled packages are development dependencies; so the shipped ones are taken from
 * the build's bill of materials.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { build, isBuilt } from './builds.mjs'
import { at, root } from './project.mjs'

/**
 * Parses the output of `npm audit`, and formats a line for each shipped package with a vulnerability and one line with
 * the number of other such packages.
 * @param {string} answer output of `npm audit --json`
 * @param {ReadonlySet<string>} shipped names of the packages in the program
 * @returns {{ state: 'unknown' | 'clean' | 'affected', lines: string[] }}
 */
export function judgeAudit(answer, shipped) {
  const report = parseJson(answer)
  if (!report?.vulnerabilities) {
    const reason = report?.message ?? report?.error?.summary ?? 'no answer'
    return {
      state: 'unknown',
      lines: [`Not checked: the registry does not answer queries for vulnerabilities (${reason}).`],
    }
  }
  const all = Object.values(report.vulnerabilities)
  const affected = all.filter(({ name }) => shipped.has(name))
  const otherCount = all.length - affected.length
  const lines = affected.map(({ name, severity, range, via }) => `${severity}: ${name} ${range}: ${titlesOf(via)}`)
  if (otherCount > 0) lines.push(`${otherCount} more in packages for building and testing; “npm audit” lists them.`)
  if (affected.length > 0) return { state: 'affected', lines }
  return { state: 'clean', lines: [`No known vulnerabilities in the ${shipped.size} shipped packages.`, ...lines] }
}

function parseJson(text) {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const titlesOf = (via) =>
  via.map((cause) => (typeof cause === 'string' ? `through ${cause}` : `${cause.title} ${cause.url}`)).join('; ')

async function audit() {
  if (!isBuilt() && (await build()).status !== 0) return 1
  const { components } = JSON.parse(readFileSync(at('out', 'resources', 'sbom.cdx.json'), 'utf8'))
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm']
  const { stdout } = spawnSync(npm[0], [...npm.slice(1), 'audit', '--json'], { cwd: root, encoding: 'utf8' })
  const { state, lines } = judgeAudit(stdout ?? '', new Set(components.map(({ name }) => name)))
  for (const line of lines) console.log(line)
  return state === 'affected' ? 1 : 0
}

if (import.meta.main) process.exitCode = await audit()
