import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { AppError } from '#shared/contract/errors.ts'
import { makeFolders } from '#core/store/makeFolders.ts'

interface SystemEnvironment {
  platform: NodeJS.Platform
  env: Readonly<Record<string, string | undefined>>
  home: string
}

/** Returns the default data folder on this system, the same for all hosts. */
export function defaultDataDir({ platform, env, home }: SystemEnvironment): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Perpscope')
  if (platform === 'win32') return join(env.APPDATA || join(home, 'AppData', 'Roaming'), 'Perpscope')
  // The XDG specification says to ignore a relative path.
  const xdg = env.XDG_DATA_HOME && isAbsolute(env.XDG_DATA_HOME) ? env.XDG_DATA_HOME : join(home, '.local', 'share')
  return join(xdg, 'perpscope')
}

/** Chooses the data folder: the requested one, else the one in PERPSCOPE_DATA_DIR, else the system's default. */
export function chooseDataDir(requested: string | undefined, env: NodeJS.ProcessEnv = process.env): string {
  const { platform } = process
  return resolve(requested ?? (env.PERPSCOPE_DATA_DIR || defaultDataDir({ platform, env, home: homedir() })))
}

/** Tells whether a folder exists that this process cannot write to. */
export function isReadOnly(dataDir: string): boolean {
  if (!existsSync(dataDir)) return false
  try {
    accessSync(dataDir, constants.W_OK)
    return false
  } catch {
    return true
  }
}

/** Creates the folder if it is missing; throws `read-only` with the folder's name if it cannot be used. */
export function prepareDataDir(dataDir: string): void {
  try {
    makeFolders(dataDir)
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new AppError('read-only', `${dataDir}: ${reasonOf(error, dataDir)}`, { cause: error })
  }
}

function reasonOf(error: unknown, dataDir: string): string {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
  if (code === 'EEXIST' && statSync(dataDir, { throwIfNoEntry: false })?.isFile()) return 'is a file, not a folder'
  const messageByCode: Record<string, string> = {
    EACCES: 'no permission',
    EPERM: 'no permission',
    EROFS: 'the file system is read-only',
    ENOTDIR: 'a part of the path is a file',
    EEXIST: 'a part of the path is a file',
    ENOENT: 'the folder cannot be created there',
    ENOSPC: 'no space left on the disk',
  }
  return messageByCode[code] ?? code
}
