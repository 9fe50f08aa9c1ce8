import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { ownAppImage } from '#core/ports.ts'
import { attemptWrite } from '#shared/contract/writeError.ts'
import type { UserFolders, ScheduledProgram, ScheduleFile, SchedulePlatform } from '#core/record/scheduleFiles.ts'

export function thisPlatform(): SchedulePlatform {
  if (process.platform === 'darwin') return 'macos'
  return process.platform === 'win32' ? 'windows' : 'linux'
}

export function userFolders(dataDir: string): UserFolders {
  const xdg = process.env.XDG_CONFIG_HOME ?? ''
  const home = homedir()
  return { home, config: isAbsolute(xdg) ? xdg : join(home, '.config'), dataDir: resolve(dataDir) }
}

/** Switches with which Chromium needs no display; the launcher in resources/bin has the same. */
const headlessSwitches =
  process.platform === 'linux' ? ['--no-sandbox', '--ozone-platform=headless', '--disable-gpu'] : []

/** Returns the command and key file with which the system starts this program. */
export function ownProgram(args: readonly string[]): ScheduledProgram {
  const keyFile = process.env.PERPSCOPE_API_KEY_FILE
  return { command: [...ownCommand(), ...args], keyFile: keyFile ? resolve(keyFile) : null }
}

/**
 * Returns the path of this program and the arguments that must come before a command. The installed app runs a command
 * only after `--cli --`; without it, the app would open its window.
 */
function ownCommand(): string[] {
  const { execPath, argv } = process
  if (!process.versions.electron) return [execPath, resolve(argv[1])]
  const checkout = (process as { defaultApp?: boolean }).defaultApp ? [resolve(argv[1])] : []
  return [ownAppImage() ?? execPath, ...checkout, ...headlessSwitches, '--cli', '--']
}

export function writeEntry({ path, text }: ScheduleFile, platform: SchedulePlatform): void {
  attemptWrite(path, () => {
    mkdirSync(dirname(path), { recursive: true })
    // The Task Scheduler requires UTF-16 and refuses UTF-8.
    writeFileSync(path, platform === 'windows' ? `\ufeff${text}` : text, platform === 'windows' ? 'utf16le' : 'utf8')
    if (platform !== 'windows') chmodSync(path, 0o644)
  })
}

/** Reads the text of an entry; empty if there is none. */
export function readEntry(path: string, platform: SchedulePlatform): string {
  try {
    return readFileSync(path, platform === 'windows' ? 'utf16le' : 'utf8')
  } catch {
    return ''
  }
}

const execute = promisify(execFile)

/**
 * Runs the commands that add or remove entries of the system's scheduler or service manager.
 * @returns the message of the first command that failed, or null
 */
export async function runSystemCommands(commands: readonly (readonly [string, ...string[]])[]): Promise<string | null> {
  for (const [program, ...args] of commands) {
    try {
      await execute(program, args, { timeout: 30_000, windowsHide: true })
    } catch (thrown) {
      const { stderr = '', message } = thrown as Error & { stderr?: string }
      return `${program}: ${(stderr.trim() || message).split('\n')[0].slice(0, 300)}`
    }
  }
  return null
}
