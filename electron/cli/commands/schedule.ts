import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  AGENT_LABEL,
  HOURLY,
  isEntryOf,
  nextRunAfter,
  REFRESH_NAME,
  refreshFiles,
  type SchedulePlatform,
  schedulePlatforms,
  type Timing,
} from '#core/record/scheduleFiles.ts'
import { SCHEDULE_ENTRY } from '#shared/contract/checkNames.ts'
import type { Client } from '#shared/contract/client.ts'
import { zonedTime } from '#shared/units/instants.ts'
import { toAppError } from '#shared/contract/errors.ts'
import { action, type CliCommand, exit, type ExitStatus, type Invocation } from '../command.ts'
import { checkStatus, worstStatus } from '../checkStatus.ts'
import { findConnection } from '../connections.ts'
import { Failure } from '../failure.ts'
import { createJournal } from '../fetching/journal.ts'
import { findSet } from '../fetching/findSet.ts'
import { runSystemCommands, ownProgram, readEntry, userFolders, thisPlatform, writeEntry } from '../systemEntry.ts'
import { scheduleText as text } from '../text/recordCommands.ts'
import { nearest } from '../suggest.ts'
import { quietText, timingText } from '../text/terminalTexts.ts'
import { UsageError } from '../usageError.ts'
import { fetchSet } from './fetch.ts'

const platformOption = {
  type: 'text',
  value: 'P',
  values: schedulePlatforms,
  description: text.options.platform,
} as const
const setOption = { type: 'repeated', value: 'NAME', description: text.options.set } as const
const studyOption = { type: 'repeated', value: 'NAME', description: text.options.study } as const

const enableCommands: Readonly<
  Record<SchedulePlatform, (path: string) => readonly (readonly [string, ...string[]])[]>
> = {
  linux: () => [
    ['systemctl', '--user', 'daemon-reload'],
    ['systemctl', '--user', 'enable', '--now', `${REFRESH_NAME}.timer`],
  ],
  macos: (path) => [['launchctl', 'load', '-w', path]],
  windows: (path) => [['schtasks', '/Create', '/F', '/TN', REFRESH_NAME, '/XML', path]],
}

const disableCommands: typeof enableCommands = {
  linux: () => [['systemctl', '--user', 'disable', '--now', `${REFRESH_NAME}.timer`]],
  macos: () => [['launchctl', 'remove', AGENT_LABEL]],
  windows: () => [['schtasks', '/Delete', '/F', '/TN', REFRESH_NAME]],
}

/** Commands that ask whether the scheduled refresh is installed; they fail if the system does not know it. */
const queryCommands: Readonly<Record<SchedulePlatform, readonly [string, ...string[]]>> = {
  linux: ['systemctl', '--user', 'is-enabled', `${REFRESH_NAME}.timer`],
  macos: ['launchctl', 'list', AGENT_LABEL],
  windows: ['schtasks', '/Query', '/TN', REFRESH_NAME],
}

/** Hours from one run to the next, by what --every takes. */
const hoursByWord: Readonly<Record<string, number>> = {
  '1h': 1,
  '2h': 2,
  '3h': 3,
  '4h': 4,
  '6h': 6,
  '8h': 8,
  '12h': 12,
  '1d': 24,
}

const install = action({
  name: 'install',
  summary: text.install.summary,
  options: {
    set: setOption,
    study: studyOption,
    print: { type: 'flag', description: text.options.print },
    platform: platformOption,
    at: { type: 'text', value: 'HH:MM', description: timingText.at },
    every: { type: 'text', value: 'TIME', values: Object.keys(hoursByWord), description: timingText.every },
  },
  async run({ client, connection, dataDir, environmentKeys, options, out, route }) {
    const timing = timingOf(options)
    const platform = options.platform ?? thisPlatform()
    const folders = userFolders(dataDir)
    const sets = options.set ?? []
    const studies = options.study ?? []
    // Entries for another system are for another computer, whose sets are not known here.
    if (sets.length + studies.length > 0 && platform === thisPlatform()) {
      const core = await client()
      const { id } = await findConnection(core, connection)
      for (const name of sets) await findSet(core, id, name)
      for (const name of studies) await findStudy(core, name)
    }
    const connectionOption = connection === undefined ? [] : ['--connection', connection]
    const args = [
      'schedule',
      'run',
      ...sets.flatMap((name) => ['--set', name]),
      ...studies.flatMap((name) => ['--study', name]),
      '--data-dir',
      folders.dataDir,
      ...connectionOption,
      ...(route.proxy === undefined ? [] : ['--proxy', route.proxy]),
      ...(route.caFile === undefined ? [] : ['--ca-file', resolve(route.caFile)]),
    ]
    const files = refreshFiles(platform, ownProgram(args), folders, timing)
    const lost = lostKeys(environmentKeys)
    if (lost.length > 0) out.problem(timingText.keysMissing(lost))
    if (options.print || platform !== thisPlatform()) {
      // A comment with the path separates the two systemd units; on other systems there is only one file.
      const heading = ({ path }: { path: string }) => (files.length > 1 ? [`# ${path}`] : [])
      out.result({ files }, () => files.flatMap((file) => [...heading(file), ...file.text.trimEnd().split('\n')]))
      return exit.done
    }
    const earlier = readEntry(files[0].path, platform)
    if (earlier !== '' && !isEntryOf(folders.dataDir, earlier, platform)) out.note(text.install.replaces)
    for (const file of files) writeEntry(file, platform)
    writeTiming(dataDir, timing)
    const refusal = await runSystemCommands(enableCommands[platform](files[0].path))
    out.result({ installed: refusal === null, files: files.map(({ path }) => path) }, () =>
      files.map(({ path }) => path),
    )
    if (refusal === null) return exit.done
    out.problem(text.install.notEnabled(refusal))
    return exit.partial
  },
})

function timingOf({ at, every }: { at: string | undefined; every: string | undefined }): Timing {
  if (at !== undefined && every !== undefined) throw new UsageError(timingText.atOrEvery)
  if (at === undefined) return { ...HOURLY, everyHours: hoursByWord[every ?? '1h'] }
  const match = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(at)
  if (!match) throw new UsageError(timingText.notTime(at))
  return { everyHours: 24, hour: Number(match[1]), minute: Number(match[2]) }
}

/** Names the variables whose keys only this process has, so that a scheduled run would have none. */
const lostKeys = (environmentKeys: readonly string[]): string[] =>
  environmentKeys.filter((name) => name !== 'PERPSCOPE_API_KEY' || !process.env.PERPSCOPE_API_KEY_FILE)

const timingPath = (dataDir: string): string => join(dataDir, 'schedule', 'timing.json')

/** Notes when the schedule runs, because the entries of the three systems say it in three forms. */
function writeTiming(dataDir: string, timing: Timing): void {
  mkdirSync(join(dataDir, 'schedule'), { recursive: true, mode: 0o700 })
  writeFileSync(timingPath(dataDir), `${JSON.stringify(timing)}\n`, { mode: 0o600 })
}

/** Reads when the schedule runs; one that was installed by an earlier version runs every hour. */
function readTiming(dataDir: string): Timing {
  try {
    const { everyHours, hour, minute } = JSON.parse(readFileSync(timingPath(dataDir), 'utf8')) as Timing
    const isPlain = [everyHours, hour, minute].every(Number.isInteger) && everyHours > 0 && 24 % everyHours === 0
    return isPlain ? { everyHours, hour, minute } : HOURLY
  } catch {
    return HOURLY
  }
}

const remove = action({
  name: 'remove',
  summary: text.remove.summary,
  async run({ dataDir, out }) {
    const platform = thisPlatform()
    const files = ownEntries(dataDir).filter((path) => existsSync(path))
    if (files.length > 0 && !isEntryOf(userFolders(dataDir).dataDir, readEntry(files[0], platform), platform))
      throw new Failure(text.remove.ofAnother)
    if (files.length > 0) {
      const refusal = await runSystemCommands(disableCommands[platform](files[0]))
      if (refusal !== null) out.note(refusal)
    }
    for (const path of files) rmSync(path, { force: true })
    if (files.length > 0 && platform === 'linux') await runSystemCommands([['systemctl', '--user', 'daemon-reload']])
    out.result({ removed: files }, () => (files.length > 0 ? files.map(text.remove.done) : [text.remove.none]))
    return exit.done
  },
})

const ownEntries = (dataDir: string): string[] =>
  refreshFiles(thisPlatform(), { command: [''], keyFile: null }, userFolders(dataDir)).map(({ path }) => path)

const status = action({
  name: 'status',
  summary: text.status.summary,
  async run({ dataDir, out }) {
    const platform = thisPlatform()
    const paths = ownEntries(dataDir)
    const hasFiles = paths.every((path) => existsSync(path))
    const installed = hasFiles && isEntryOf(userFolders(dataDir).dataDir, readEntry(paths[0], platform), platform)
    const refusal = installed ? await runSystemCommands([queryCommands[platform]]) : null
    const next = installed && refusal === null ? nextRunAfter(readTiming(dataDir), Date.now()).toISOString() : null
    const last = readLastRun(dataDir)
    out.result({ installed, next, last }, () => [text.status.line(installed, shownTime(next), shownTime(last))])
    if (hasFiles && !installed) out.note(text.status.ofAnother)
    if (refusal !== null) out.note(text.status.notEnabled(refusal))
    return exit.done
  },
})

const shownTime = (time: string | null): string | null => (time === null ? null : zonedTime(Date.parse(time), 'utc'))

const lastRunPath = (dataDir: string): string => join(dataDir, 'schedule', 'last')

function readLastRun(dataDir: string): string | null {
  try {
    return readFileSync(lastRunPath(dataDir), 'utf8').trim()
  } catch {
    return null
  }
}

const run = action({
  name: 'run',
  summary: text.run.summary,
  interrupted: text.run.interrupted,
  options: {
    set: setOption,
    study: studyOption,
    verbose: { type: 'flag', description: quietText.verboseRun },
  },
  async run(invocation) {
    const { app, dataDir, out } = invocation
    const release = (await app()).lockRefresh()
    if (!release) {
      out.note(text.run.running)
      return exit.done
    }
    try {
      const fetchStatus = await fetchSets(invocation)
      await (await invocation.client()).call('ledger.update', {}, { signal: invocation.signal })
      const studyStatus = await runStudies(invocation)
      const checkStatus = await runChecks(invocation)
      mkdirSync(join(dataDir, 'schedule'), { recursive: true, mode: 0o700 })
      const path = lastRunPath(dataDir)
      writeFileSync(`${path}.part`, `${new Date().toISOString()}\n`, { mode: 0o600 })
      renameSync(`${path}.part`, path)
      return worstStatus([fetchStatus, studyStatus, checkStatus])
    } finally {
      release()
    }
  },
})

type RunInvocation = Invocation & {
  options: { set: string[] | undefined; study: string[] | undefined; verbose: boolean }
}

/** Number of checks that a run names; the inbox has all. */
const MOST_CHECK_LINES = 5

/** Runs saved studies of any kind, whose answers the Lab then shows. */
async function runStudies(invocation: RunInvocation): Promise<ExitStatus> {
  const core = await invocation.client()
  const runStudy = async (name: string) => {
    const { id, document } = await findStudy(core, name)
    await core.call('lab.run', { id, document }, { signal: invocation.signal })
    return exit.done
  }
  const failed = (name: string, why: string) => invocation.out.problem(quietText.ofSet(name, why))
  return eachNoted(invocation, invocation.options.study ?? [], runStudy, failed)
}

async function findStudy(core: Client, name: string) {
  const all = await core.call('documents.list', { kind: 'study' })
  const listed = all.find((each) => each.name === name)
  if (!listed)
    throw new Failure(
      text.noStudy(
        name,
        nearest(
          name,
          all.map((each) => each.name),
        ) ?? null,
      ),
    )
  const { document } = await core.call('documents.read', { kind: 'study', id: listed.id })
  return { id: listed.id, document }
}

async function fetchSets(invocation: RunInvocation): Promise<ExitStatus> {
  const { client, connection, options, out } = invocation
  const core = await client()
  const { id: connectionId } = await findConnection(core, connection)
  const names = options.set ?? (await core.call('downloads.sets', { connectionId })).map(({ name }) => name)
  if (names.length === 0) out.note(text.run.noSets)
  const journal = createJournal(out, options.verbose)
  const listed = options.verbose ? 'all' : 'none'
  const fetchNamed = (name: string) => journal.ofSet(name, (own) => fetchSet({ ...invocation, out: own }, name, listed))
  const status = await eachNoted(invocation, names, fetchNamed, journal.failed)
  journal.end()
  return status
}

/** Does work for each name; failures are added to the inbox, because nobody reads the output of a scheduled run. */
async function eachNoted(
  { app, signal }: Pick<RunInvocation, 'app' | 'signal'>,
  names: readonly string[],
  work: (name: string) => Promise<ExitStatus>,
  failed: (name: string, why: string) => void,
): Promise<ExitStatus> {
  const statuses: ExitStatus[] = []
  const noteFailure = async (name: string, why: string) =>
    (await app()).checks.add(`${SCHEDULE_ENTRY}${name}`, {
      state: 'not evaluable',
      value: null,
      time: null,
      rows: null,
      why,
    })
  for (const name of names) {
    try {
      const status = await work(name)
      if (status === exit.done) continue
      await noteFailure(name, text.run.partly)
      statuses.push(status)
    } catch (thrown) {
      if (signal.aborted) throw thrown
      const { sentence, detail, code } = toAppError(thrown)
      const why = code === 'no-key' ? text.run.noKey : (detail ?? (thrown instanceof Error ? thrown.message : sentence))
      await noteFailure(name, why)
      failed(name, why)
      statuses.push(exit.failed)
    }
  }
  return worstStatus(statuses)
}

async function runChecks({ client, options, out, signal }: RunInvocation): Promise<ExitStatus> {
  const core = await client()
  const checks = await core.call('inbox.run', {}, { signal })
  const { alarmProblem } = await core.call('inbox.list', {})
  if (alarmProblem !== null) out.problem(alarmProblem)
  const notable = checks.filter(({ state }) => state !== 'quiet')
  const shown = options.verbose ? notable : notable.slice(0, MOST_CHECK_LINES)
  for (const { name, state } of shown) out.note(`${name}: ${state}`)
  if (notable.length > shown.length) out.note(quietText.moreChecks(notable.length - shown.length))
  return checkStatus(checks)
}

export const command: CliCommand = {
  verb: 'schedule',
  summary: text.summary,
  description: text.description,
  examples: [
    'perpscope schedule install --set morning',
    'perpscope schedule install --at 02:30',
    'perpscope schedule install --print --platform macos',
  ],
  actions: [install, remove, status, run],
}
