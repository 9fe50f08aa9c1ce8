import { statSync } from 'node:fs'
import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { App } from '#core/app.ts'
import { isReadOnly as isReadOnlyFolder, prepareDataDir } from '#core/dataDir.ts'
import type { ReadOnlyCopy } from '#core/store/readOnlyCopy.ts'
import { fileProblem, readSmallFile } from '#core/smallFile.ts'
import type { RouteOptions } from '#core/route.ts'
import { type Ports, proxyFromEnvironment, type SaveFile, systemClock, type WindowHost } from '#core/ports.ts'
import { partPathOf } from '#core/partFile.ts'
import { writeReplacing } from '#core/writeSynced.ts'
import type { MachinePolicy } from '#shared/contract/areas/policy.ts'
import type { Client } from '#shared/contract/client.ts'
import { safeFileName } from '#shared/units/fileNames.ts'
import { AppError } from '#shared/contract/errors.ts'
import { writeError } from '#shared/contract/writeError.ts'
import { Failure } from './failure.ts'
import { failureText } from './text/messages.ts'
import { readOnlyText } from './text/terminalTexts.ts'
import { version } from './version.ts'

/** Provides the core to one run of the command line; the first use opens the core. */
interface Environment {
  app(): Promise<App>
  client(savePath?: string): Promise<Client>
  /** Returns the message about a damaged index that this run replaced; null if it did not. */
  replacedIndex(): Promise<string | null>
  /** Tells whether any call saved a file. */
  hasSaved(): boolean
  close(): Promise<void>
  /** Names the data folder in a text that names its temporary copy. */
  shown(text: string): string
}

/** Starts the sandbox, whose code is imported only here, because most commands do not use it. */
const openSandbox = async () => (await import('../sandbox/server.ts')).startSandbox({})

export interface EnvironmentOptions {
  dataDir: string
  offline: boolean
  env: Readonly<Record<string, string | undefined>>
  /** Proxy and certificate file from the options. */
  route: RouteOptions
  /** True for the commands that recover a damaged index; all others refuse it. */
  recoversIndex: boolean
  startProcess?: Ports['startProcess'] | undefined
  /** Reads the policy of this machine. */
  readPolicy?: (() => MachinePolicy | null) | undefined
  /** Name of the command, for the message that it would write to a folder that can only be read. */
  commandName: string
  /** True if the command works in a data folder that can only be read. */
  readsOnly: boolean
  /** True if nothing that the command does may stay in the data folder. */
  leavesNoTrace: boolean
  /** Tells whether the data folder can only be read; tests have their own answer. */
  isReadOnly?: ((dataDir: string) => boolean) | undefined
}

/** Imports the core only for commands that use it, because loading it takes most of the start time. */
async function importCore() {
  const [{ createApp }, { readPolicy }, { createFileLog }, { createKeytarVault }] = await Promise.all([
    import('#core/app.ts'),
    import('#core/policy.ts'),
    import('#core/log/fileLog.ts'),
    import('../vault/keytarVault.ts'),
  ])
  return { createApp, readPolicy, createFileLog, createKeytarVault }
}

/** Maximum size of the key file; every key is shorter. */
const MOST_KEY_BYTES = 10_000

/** Line of a key file with the key of the portfolio service. */
const portfolioLine = /^portfolio=(.*)$/m

/**
 * Reads the API key from a file, if one is given, and the key of the portfolio service from its own line; throws if the
 * file cannot be used or other users may read it.
 */
function keysFromFile(path: string | undefined): { key?: string; portfolioKey?: string | undefined } {
  if (!path) return {}
  const problem = fileProblem(path)
  if (problem) throw new AppError('bad-input', failureText.keyFile(problem))
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0)
    throw new AppError('bad-input', failureText.keyFileOpen(path))
  const text = readSmallFile(path, MOST_KEY_BYTES)
  return { key: text.replace(portfolioLine, '').trim(), portfolioKey: portfolioLine.exec(text)?.[1] }
}

async function openApp({
  dataDir,
  offline,
  env,
  route,
  recoversIndex,
  startProcess,
  readPolicy,
  keychainDir,
}: EnvironmentOptions & { keychainDir: string }): Promise<App> {
  const core = await importCore()
  prepareDataDir(dataDir)
  const ports = {
    vault: core.createKeytarVault({ dataDir: keychainDir }),
    log: core.createFileLog(dataDir),
    clock: systemClock,
    startSandbox: openSandbox,
    ...(startProcess && { startProcess }),
  }
  const fileKeys = env.PERPSCOPE_API_KEY ? {} : keysFromFile(env.PERPSCOPE_API_KEY_FILE)
  return core.createApp(ports, {
    version,
    dataDir,
    offline,
    environmentKey: env.PERPSCOPE_API_KEY || fileKeys.key,
    environmentPortfolioKey: env.PERPSCOPE_PORTFOLIO_KEY || fileKeys.portfolioKey,
    environmentPassword: env.PERPSCOPE_ENGINE_PASSWORD || undefined,
    environmentStoreKey: env.PERPSCOPE_STORE_KEY || undefined,
    proxy: proxyFromEnvironment(env),
    environmentCaFile: env.NODE_EXTRA_CA_CERTS,
    route,
    refuseDamagedIndex: !recoversIndex,
    policy: (readPolicy ?? core.readPolicy)(),
  })
}

export function createEnvironment(options: EnvironmentOptions): Environment {
  let opened: Promise<App> | null = null
  let hasSaved = false
  let copy: ReadOnlyCopy | null = null
  const app = () => (opened ??= open())

  /** Opens the core in the data folder, or in a temporary copy of one that is not to be written to. */
  async function open(): Promise<App> {
    const { dataDir, commandName, readsOnly, leavesNoTrace, isReadOnly = isReadOnlyFolder } = options
    const isLocked = isReadOnly(dataDir)
    if (isLocked && !readsOnly) throw new Failure(readOnlyText.writes(commandName, dataDir))
    if (!isLocked && !leavesNoTrace) return openApp({ ...options, keychainDir: dataDir })
    const { openReadOnlyCopy } = await import('#core/store/readOnlyCopy.ts')
    copy = await openReadOnlyCopy(dataDir).catch((thrown: NodeJS.ErrnoException) => {
      if (thrown.code !== 'EACCES' && thrown.code !== 'EPERM') throw thrown
      throw new Failure(readOnlyText.unreadable(thrown.path ?? dataDir))
    })
    return openApp({ ...options, dataDir: copy.dataDir, keychainDir: dataDir })
  }

  return {
    app,
    replacedIndex: async () => (await opened?.catch(() => null))?.replacedIndex ?? null,
    hasSaved: () => hasSaved,
    client: async (savePath) =>
      (await app()).clientFor({
        kind: 'command line',
        pickFiles: null,
        save: (file, open) => {
          hasSaved = true
          return saverTo(savePath)(file, open)
        },
        saveFolder: (name, fill) => {
          hasSaved = true
          return folderSaverTo(savePath)(name, fill)
        },
      }),
    // An error while opening the core is ignored here, because the command itself has already failed with it.
    async close() {
      await (await opened?.catch(() => null))?.close()
      await copy?.remove()
    },
    shown: (text) => (copy === null ? text : text.replaceAll(copy.dataDir, options.dataDir)),
  }
}

/**
 * Returns a function that saves a file at `path`, or in the current folder under its own name; the file appears only
 * when it is complete.
 */
export function saverTo(path: string | undefined): SaveFile {
  return async ({ name, companion }, open) => {
    const target = resolve(path ?? safeFileName(basename(name)))
    await writeReplacing(target, open())
    if (companion) await writeReplacing(target + companion.suffix, companion.open())
    return { name: basename(target), path: target }
  }
}

/**
 * Returns a function that saves a folder at `path`, or in the current folder under its own name; the function throws if
 * a folder with files is there already.
 */
export function folderSaverTo(path: string | undefined): NonNullable<WindowHost['saveFolder']> {
  return async (name, fill) => {
    const target = resolve(path ?? safeFileName(basename(name)))
    const existing = await readdir(target).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw new AppError('conflict', failureText.folderUnusable(target, error.code ?? 'unknown cause'))
    })
    if (existing && existing.length > 0) throw new AppError('conflict', failureText.folderNotEmpty(target))
    const part = partPathOf(target)
    try {
      await rm(part, { recursive: true, force: true })
      await mkdir(part, { recursive: true })
      await fill(part)
      if (existing) await rmdir(target)
      await rename(part, target)
    } catch (error) {
      await rm(part, { recursive: true, force: true })
      throw writeError(target, error)
    }
    return { name: basename(target), path: target }
  }
}
