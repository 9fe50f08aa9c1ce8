import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  AGENT_LABEL,
  isEntryOf,
  REFRESH_NAME,
  refreshFiles,
  type SchedulePlatform,
  schedulePlatforms,
} from '#core/record/scheduleFiles.ts'
import { MS_PER_HOUR } from '#shared/time.ts'
import { zonedTime } from '#shared/units/instants.ts'
import { toAppError } from '#shared/contract/errors.ts'
import { action, type Command, exit, type ExitStatus, type Invocation } from '../command.ts'
import { checkStatus, worstStatus } from '../checkStatus.ts'
import { findConnection } from '../connections.ts'
import { Failure } from '../failure.ts'
import { findSet } from '../fetching/findSet.ts'
import { runSystemCommands, ownProgram, readEntry, userFolders, thisPlatform, writeEntry } from '../systemEntry.ts'
import { scheduleText as text } from '../text/recordCommands.ts'
import { fetchSet } from './fetch.ts'

const platformOption = {
  type: 'text',
  value: 'P',
  values: schedulePlatforms,
  description: text.options.platform,
} as const
const setOption = { type: 'repeated', value: 'NAME', description: text.options.set } as const

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

const install = action({
  name: 'install',
  summary: text.install.summary,
  options: {
    set: setOption,
    print: { type: 'flag', description: text.options.print },
    platform: platformOption,
  },
  async run({ client, connection, dataDir, options, out, route }) {
    const platform = options.platform ?? thisPlatform()
    const folders = userFolders(dataDir)
    const sets = options.set ?? []
    // Entries for another system are for another computer, whose sets are not known here.
    if (sets.length > 0 && platform === thisPlatform()) {
      const core = await client()
      const { id } = await findConnection(core, connection)
      for (const name of sets) await findSet(core, id, name)
    }
    const connectionOption = connection === undefined ? [] : ['--connection', connection]
    const args = [
      'schedule',
      'run',
      ...sets.flatMap((name) => ['--set', name]),
      '--data-dir',
      folders.dataDir,
      ...connectionOption,
      ...(route.proxy === undefined ? [] : ['--proxy', route.proxy]),
      ...(route.caFile === undefined ? [] : ['--ca-file', resolve(route.caFile)]),
    ]
    const files = refreshFiles(platform, ownProgram(args), folders)
    if (options.print || platform !== thisPlatform()) {
      // A comment with the path separates the two systemd units; on other systems there is only one file.
      const heading = ({ path }: { path: string }) => (files.length > 1 ? [`# ${path}`] : [])
      out.result({ files }, () => files.flatMap((file) => [...heading(file), ...file.text.trimEnd().split('\n')]))
      return exit.done
    }
    const earlier = readEntry(files[0].path, platform)
    if (earlier !== '' && !isEntryOf(folders.dataDir, earlier, platform)) out.note(text.install.replaces)
    for (const file of files) writeEntry(file, platform)
    const refusal = await runSystemCommands(enableCommands[platform](files[0].path))
    out.result({ installed: refusal === null, files: files.map(({ path }) => path) }, () =>
      files.map(({ path }) => path),
    )
    if (refusal === null) return exit.done
    out.problem(text.install.notEnabled(refusal))
    return exit.partial
  },
})

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
    const next = installed && refusal === null ? nextRun(Date.now()) : null
    const last = readLastRun(dataDir)
    out.result({ installed, next, last }, () => [text.status.line(installed, shownTime(next), shownTime(last))])
    if (hasFiles && !installed) out.note(text.status.ofAnother)
    if (refusal !== null) out.note(text.status.notEnabled(refusal))
    return exit.done
  },
})

const shownTime = (time: string | null): string | null => (time === null ? null : zonedTime(Date.parse(time), 'utc'))

const OFFSET_AFTER_HOUR_MS = 5 * 60_000

const nextRun = (nowMs: number): string =>
  new Date(
    (Math.floor((nowMs - OFFSET_AFTER_HOUR_MS) / MS_PER_HOUR) + 1) * MS_PER_HOUR + OFFSET_AFTER_HOUR_MS,
  ).toISOString()

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
  options: { set: setOption },
  async run(invocation) {
    const { app, dataDir, out } = invocation
    const release = (await app()).lockRefresh()
    if (!release) {
      out.note(text.run.running)
      return exit.done
    }
    try {
      const fetchStatus = await fetchSets(invocation)
      const checkStatus = await runChecks(invocation)
      mkdirSync(join(dataDir, 'schedule'), { recursive: true, mode: 0o700 })
      const path = lastRunPath(dataDir)
      writeFileSync(`${path}.part`, `${new Date().toISOString()}\n`, { mode: 0o600 })
      renameSync(`${path}.part`, path)
      return worstStatus([fetchStatus, checkStatus])
    } finally {
      release()
    }
  },
})

type RunInvocation = Invocation & { options: { set: string[] | undefined } }

/** Fetches each set; failures are added to the inbox, because nobody reads the output of a scheduled run. */
async function fetchSets(invocation: RunInvocation): Promise<ExitStatus> {
  const { app, client, connection, options, out, signal } = invocation
  const core = await client()
  const { id: connectionId } = await findConnection(core, connection)
  const names = options.set ?? (await core.call('downloads.sets', { connectionId })).map(({ name }) => name)
  if (names.length === 0) out.note(text.run.noSets)
  const statuses: ExitStatus[] = []
  const noteFailure = async (name: string, why: string) =>
    (await app()).checks.add(`schedule ${name}`, { state: 'not evaluable', value: null, time: null, rows: null, why })
  for (const name of names) {
    try {
      const status = await fetchSet(invocation, name)
      if (status === exit.done) continue
      await noteFailure(name, text.run.partly)
      statuses.push(status)
    } catch (thrown) {
      if (signal.aborted) throw thrown
      const { sentence, detail, code } = toAppError(thrown)
      const why = code === 'no-key' ? text.run.noKey : (detail ?? (thrown instanceof Error ? thrown.message : sentence))
      await noteFailure(name, why)
      out.problem(`${name}: ${why}`)
      statuses.push(exit.failed)
    }
  }
  return worstStatus(statuses)
}

async function runChecks({ app, out, signal }: Invocation): Promise<ExitStatus> {
  const checks = await (await (await app()).checkRuns()).run(null, signal)
  for (const { name, state } of checks) if (state !== 'quiet') out.note(`${name}: ${state}`)
  return checkStatus(checks)
}

export const command: Command = {
  verb: 'schedule',
  summary: text.summary,
  description: text.description,
  examples: ['perpscope schedule install --set morning', 'perpscope schedule install --print --platform macos'],
  actions: [install, remove, status, run],
}
