import { spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Alarm, alarmHostsOf } from '#shared/contract/alarm.ts'
import type { CheckOutcome } from '#shared/contract/areas/inbox.ts'
import { toAppError } from '#shared/contract/errors.ts'
import { isLoopback } from '#shared/contract/loopback.ts'
import { writeError } from '#shared/contract/writeError.ts'
import type { HttpClient } from '#core/clients/http.ts'
import type { Logger } from '#core/ports.ts'
import type { Store } from '#core/store/store.ts'
import { damagedPath, readAlarmFile } from './alarmFile.ts'

export interface AlarmDeps {
  dataDir: string
  store: Pick<Store, 'settings' | 'connections' | 'engines'>
  http: Pick<HttpClient, 'open' | 'forgetUnreachable'>
  log: Logger
  /** Waits between two tries; tests wait for nothing. */
  waitsMs?: readonly number[]
}

/** What checks do beside the inbox. */
export interface Alarms {
  all(): Record<string, Alarm>
  /** Sets the alarm of a check; null removes it. */
  set(check: string, alarm: Alarm | null): void
  rename(from: string, to: string): void
  /** Says in a sentence why an alarm may not be saved or sent; null if it may. */
  refusal(alarm: Alarm): string | null
  /** Says in a sentence that a host is one of a service, to which no alarm is posted; null if it is none. */
  serviceProblem(host: string): string | null
  /** Runs the command or posts the finding, if the check has an alarm. A failure is only logged. */
  sound(check: string, outcome: CheckOutcome, signal: AbortSignal): Promise<void>
}

/** Waits before the second and the third try. */
const WAITS_MS = [1000, 4000]
const POST_TIMEOUT_MS = 10_000
const RUN_TIMEOUT_MS = 60_000
const MOST_ANSWER_BYTES = 64 * 1024
const MOST_MESSAGE_CHARACTERS = 300

/**
 * Creates the alarms of checks. They are in a file of this machine and not among the documents, because a backup, which
 * may come from someone else, must not bring commands that this machine would run.
 */
export function createAlarms({ dataDir, store, http, log, waitsMs = WAITS_MS }: AlarmDeps): Alarms {
  const { path } = readAlarmFile(dataDir)
  const all = () => readAlarmFile(dataDir).alarms

  function save(alarms: Record<string, Alarm>): void {
    try {
      if (!readAlarmFile(dataDir).isWhole) renameSync(path, damagedPath(path))
      writeFileSync(`${path}.part`, `${JSON.stringify({ version: 1, alarms }, null, 2)}\n`, { mode: 0o600 })
      renameSync(`${path}.part`, path)
    } catch (thrown) {
      throw writeError(path, thrown)
    }
  }

  function serviceProblem(host: string): string | null {
    const { hostname } = new URL(`http://${host}`)
    const isOfService = serviceHosts(store).some(
      (service) => service.host === host || (!isLoopback(hostname) && service.hostname === hostname),
    )
    return isOfService ? `${host} is a host of one of your services, to which no alarm is posted.` : null
  }

  function refusal(alarm: Alarm): string | null {
    if (!('post' in alarm)) return null
    if (!URL.canParse(alarm.post)) return `“${alarm.post.slice(0, 60)}” is not an address.`
    const { protocol, host, hostname, username, password } = new URL(alarm.post)
    if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname)))
      return 'Alarms are posted to https addresses only, or over http to this machine.'
    if (username || password) return 'The address of an alarm must not contain a user name or password.'
    const ofService = serviceProblem(host)
    if (ofService !== null) return ofService
    if (alarmHostsOf(store.settings.read().alarmHosts).includes(host)) return null
    return `Checks may not post to ${host} yet. Allow it with “perpscope check allow ${host}” or in Settings → Network.`
  }

  async function post(url: string, body: string, signal: AbortSignal): Promise<string> {
    for (let attempt = 0; ; attempt++) {
      try {
        const answer = await http.open({
          url,
          post: body,
          headers: { 'content-type': 'application/json' },
          maxBytes: MOST_ANSWER_BYTES,
          signal: AbortSignal.any([signal, AbortSignal.timeout(POST_TIMEOUT_MS)]),
        })
        await answer.cancel()
        return `posted to ${new URL(url).host} (${answer.status})`
      } catch (thrown) {
        signal.throwIfAborted()
        const { sentence, detail } = toAppError(thrown)
        const message = detail ?? sentence
        if (attempt >= waitsMs.length) throw new Error(`could not be posted in ${attempt + 1} tries: ${message}`)
        log.write('info', `alarm to ${new URL(url).host}: try ${attempt + 1} failed: ${message}`)
        await sleep(waitsMs[attempt], undefined, { signal })
        // A server that was not reached is not asked again for a while, but each try is to be one.
        http.forgetUnreachable()
      }
    }
  }

  return {
    all,
    set(check, alarm) {
      const { [check]: before, ...others } = all()
      if (before === undefined && alarm === null) return
      save(alarm === null ? others : { ...others, [check]: alarm })
    },
    rename(from, to) {
      const { [from]: alarm, ...others } = all()
      if (alarm !== undefined) save({ ...others, [to]: alarm })
    },
    refusal,
    serviceProblem,
    async sound(check, outcome, signal) {
      const { alarms, problem } = readAlarmFile(dataDir)
      if (problem !== null) log.write('warn', problem)
      if (!Object.hasOwn(alarms, check)) return
      const alarm = alarms[check]
      const body = JSON.stringify({ check, ...outcome })
      try {
        const refused = refusal(alarm)
        if (refused !== null) throw new Error(refused)
        const done = await ('post' in alarm ? post(alarm.post, body, signal) : runCommand(alarm.run, body, signal))
        log.write('info', `alarm of the check “${check}”: ${done}`)
      } catch (thrown) {
        signal.throwIfAborted()
        log.write('warn', `alarm of the check “${check}”: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
      }
    },
  }
}

/** Lists the addresses of all services that connections name. */
function serviceHosts({ connections, engines }: AlarmDeps['store']): URL[] {
  return connections
    .list()
    .flatMap(({ id, metricsUrl, portfolioUrl, catalogLocation, storeEndpoint = '' }) => [
      metricsUrl,
      portfolioUrl,
      catalogLocation,
      storeEndpoint,
      engines.find(id)?.url ?? '',
    ])
    .flatMap((address) => (URL.canParse(address) ? [new URL(address)] : []))
}

/**
 * Runs a command without a shell and gives it the finding on its standard input, which is a file, because a program
 * cannot open the socket that Node makes as `/dev/stdin`.
 */
async function runCommand([program, ...args]: readonly string[], input: string, signal: AbortSignal): Promise<string> {
  const { PERPSCOPE_API_KEY_FILE: _keyFile, ...env } = process.env
  const folder = mkdtempSync(join(tmpdir(), 'perpscope-alarm-'))
  const inputPath = join(folder, 'finding.json')
  writeFileSync(inputPath, `${input}\n`, { mode: 0o600 })
  const inputFile = openSync(inputPath, 'r')
  try {
    const child = spawn(program, args, {
      cwd: homedir(),
      env,
      signal,
      stdio: [inputFile, 'ignore', 'pipe'],
      timeout: RUN_TIMEOUT_MS,
      killSignal: 'SIGKILL',
      windowsHide: true,
    })
    let message = ''
    child.stderr?.on(
      'data',
      (chunk: Buffer) => (message = (message + chunk.toString()).slice(0, MOST_MESSAGE_CHARACTERS)),
    )
    return await new Promise((resolve, reject) => {
      child.on('error', (error: NodeJS.ErrnoException) =>
        reject(new Error(`${program} could not be started (${error.code ?? error.message})`)),
      )
      child.on('close', (status, signalName) => {
        if (status === 0) return resolve(`${program} ran`)
        const said = message.replaceAll(/\s+/g, ' ').trim()
        reject(new Error(`${program} ended with ${signalName ?? `exit status ${status}`}${said && `: ${said}`}`))
      })
    })
  } finally {
    closeSync(inputFile)
    rmSync(folder, { recursive: true, force: true })
  }
}
