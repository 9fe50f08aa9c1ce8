import { randomUUID } from 'node:crypto'
import { open, readFile, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { CheckResult } from '#shared/contract/areas/app.ts'
import { toAppError } from '#shared/contract/errors.ts'
import { abortable } from '#core/abortable.ts'
import type { Ports } from '#core/ports.ts'
import type { Keyring } from '#core/keys/keyring.ts'
import type { Store } from '#core/store/store.ts'
import { storeError } from '#core/store/storeErrors.ts'

type Outcome = Omit<CheckResult, 'name'>

export interface SelfCheck {
  name: string
  run(signal: AbortSignal): Promise<Outcome>
}

/** Free space below which the downloads of one day may not fit. */
const SCARCE_BYTES = 1_000_000_000

/** Creates the self-checks that a user runs when something seems wrong, in the order in which they are shown. */
export function createSelfChecks(
  dataDir: string,
  store: Store,
  keyring: Keyring,
  hasPageSandbox?: Ports['hasPageSandbox'],
  platform = process.platform,
): SelfCheck[] {
  const selfChecks: [name: string, run: (signal: AbortSignal) => Promise<Outcome>][] = [
    ['Data folder', (signal) => checkFolder(dataDir, signal)],
    ['Free space', () => checkSpace(dataDir)],
    ['Index', (signal) => checkIndex(store, signal)],
    ['Keychain', () => checkKeychain(keyring)],
  ]
  if (platform === 'win32') selfChecks.push(['Path lengths', async () => checkPathLengths(store)])
  if (hasPageSandbox) selfChecks.push(['Page sandbox', async () => checkPageSandbox(hasPageSandbox())])
  return selfChecks.map(([name, run]) => ({
    name,
    run: (signal) =>
      abortable(run(signal), signal).catch((thrown: unknown) => {
        signal.throwIfAborted()
        return { ok: false, message: toAppError(storeError(thrown, dataDir)).message }
      }),
  }))
}

async function checkFolder(dataDir: string, signal: AbortSignal): Promise<Outcome> {
  const path = join(dataDir, `check-${randomUUID()}`)
  try {
    const file = await open(path, 'wx', 0o600)
    try {
      await file.writeFile(path, { signal })
      await file.sync()
    } finally {
      await file.close()
    }
    const isEqual = (await readFile(path, 'utf8')) === path
    return isEqual
      ? { ok: true, message: 'Files can be written and read back.' }
      : { ok: false, message: 'A file read back differs from what was written; the disk may be failing.' }
  } finally {
    await rm(path, { force: true })
  }
}

async function checkSpace(dataDir: string): Promise<Outcome> {
  const { bavail, bsize } = await statfs(dataDir)
  const freeBytes = bavail * bsize
  const freeText = `${(freeBytes / 1e9).toFixed(1)} GB are free.`
  return freeBytes >= SCARCE_BYTES
    ? { ok: true, message: freeText }
    : { ok: false, message: `Only ${freeText} Free up space.` }
}

async function checkIndex(store: Store, signal: AbortSignal): Promise<Outcome> {
  const problem = await store.database.findProblem(signal)
  return problem
    ? {
        ok: false,
        message: `The index is damaged (${problem}). Restart Perpscope, which sets it aside and creates a new one.`,
      }
    : { ok: true, message: 'Every table is intact.' }
}

/** Longest path on Windows for programs that do not opt in to longer ones. Node opts in; the SQL engine does not. */
const WINDOWS_PATH_LENGTH = 259
/**
 * Number of series whose paths are measured: those with the longest names. One is not enough, because paths are encoded
 * and the longest name need not have the longest path.
 */
const MOST_MEASURED = 100

function checkPathLengths({ files, folder }: Store): Outcome {
  const lengths = files.longestNamed(MOST_MEASURED).map((series) => folder.pathOf(series, '2026-01-01').length)
  const longest = Math.max(0, ...lengths)
  const lengthText = `Paths of cached files have up to ${longest} characters.`
  if (longest <= WINDOWS_PATH_LENGTH) return { ok: true, message: lengthText }
  const limitText = `SQL and other programs may be unable to open paths longer than ${WINDOWS_PATH_LENGTH}.`
  const remedy = 'Turn on long paths in Windows (LongPathsEnabled), or choose a data folder with a shorter path.'
  return { ok: false, message: `${lengthText} ${limitText} ${remedy}` }
}

const checkPageSandbox = (isSandboxed: boolean): Outcome => ({
  ok: isSandboxed,
  message: isSandboxed
    ? 'The pages of the app run in the sandbox of the operating system.'
    : 'Perpscope was started with --no-sandbox, so a fault in the page engine could reach your files. Start it without this switch; where the system forbids user namespaces, allow them for Perpscope.',
})

async function checkKeychain(keyring: Keyring): Promise<Outcome> {
  const { available, name, message } = await keyring.roundTrip()
  return { ok: available, message: message ?? `${name}: read and write OK.` }
}
