/**
 * Tells whether this machine can compare screenshots: it needs the Chromium version and the fonts with which the
 * references were taken, because others render text slightly differently.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { at, findChromium, findProgram } from '../project.mjs'

const recordFile = at('test', 'pictures', 'reference', 'renderer.json')
const bundledFont = at('node_modules', '@fontsource-variable', 'inter', 'files', 'inter-latin-wght-normal.woff2')

/**
 * Font patterns for fontconfig: the families of `renderer/theme/base.css`, and characters that the bundled font lacks
 * (✓ ⌘ 龙).
 */
const fontPatterns = [
  'sans-serif',
  'monospace',
  'system-ui',
  'ui-monospace',
  ':charset=2713',
  ':charset=2318',
  ':charset=9f99',
]

function outputOf(program, ...args) {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return ''
  }
}

function chromiumMajor() {
  const [, major] = / (\d+)\./.exec(outputOf(findChromium(), '--version')) ?? []
  return major ? Number(major) : null
}

/** Returns a hash of the font files and their smoothing, or null if fontconfig or a font is missing. */
function fontsHash() {
  const match = findProgram(['fc-match'])
  if (!match || !existsSync(bundledFont)) return null
  const hash = createHash('sha256').update(readFileSync(bundledFont))
  for (const pattern of fontPatterns) {
    const found = outputOf(match, '--format', '%{file}|%{antialias} %{hinting} %{hintstyle} %{rgba}', pattern)
    const [file, smoothing] = found.split('|')
    if (!existsSync(file)) return null
    hash.update(pattern).update(smoothing).update(readFileSync(file))
  }
  return hash.digest('hex').slice(0, 16)
}

const currentRenderer = () => ({ chromium: chromiumMajor(), fonts: fontsHash() })

const referenceRenderer = () => (existsSync(recordFile) ? JSON.parse(readFileSync(recordFile, 'utf8')) : null)

export const recordRenderer = () => writeFileSync(recordFile, `${JSON.stringify(currentRenderer(), null, 2)}\n`)

/** Returns the reason why screenshots cannot be compared on this machine, or null. */
export function renderingObstacle(reference = referenceRenderer(), current = currentRenderer()) {
  if (!reference) return 'there are no references'
  if (current.chromium !== reference.chromium)
    return `the references were drawn by Chromium ${reference.chromium}, this machine has ${current.chromium ? `Chromium ${current.chromium}` : 'an unknown version'}`
  return current.fonts === reference.fonts ? null : 'the references were drawn with other fonts'
}
