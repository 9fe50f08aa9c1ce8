import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build, isBuilt } from '../../scripts/builds.mjs'
import { writeStubElectron } from '../../scripts/electronBinary.mjs'

export const root = fileURLToPath(new URL('../..', import.meta.url))

const require = createRequire(import.meta.url)
const requireFromBuilder = createRequire(require.resolve('electron-builder'))
const requireFromLibrary = createRequire(requireFromBuilder.resolve('app-builder-lib'))

interface Asar {
  listPackage(archive: string, options: { isPack: boolean }): string[]
  extractAll(archive: string, folder: string): void
}
export const asar = requireFromLibrary('@electron/asar') as Asar

export interface PackedApp {
  /** Folder that would be installed. */
  folder: string
  program: string
  archive: string
  /** Folder with the extracted archive, outside the reach of other packages. */
  content: string
  close(): void
}

const builderCli = join(root, 'node_modules', 'electron-builder', 'cli.js')

/**
 * Packs the app as an installer contains it, with a stand-in for Electron.
 * @param env environment variables of the packer
 */
export async function packApp(env: Record<string, string>): Promise<PackedApp> {
  if (!isBuilt() && (await build({ show: false })).status !== 0) throw new Error('the build failed')
  const place = mkdtempSync(join(tmpdir(), 'perpscope-packed-'))
  const stub = writeStubElectron(join(place, 'electron'))
  const options = [
    '--dir',
    '--publish',
    'never',
    `-c.electronDist=${stub}`,
    `-c.directories.output=${join(place, 'dist')}`,
  ]
  await promisify(execFile)(process.execPath, [builderCli, ...options], {
    cwd: root,
    env: { ...process.env, ...env },
  })
  const [unpacked] = readdirSync(join(place, 'dist')).filter((name) => name.endsWith('unpacked'))
  const folder = join(place, 'dist', unpacked)
  const archive = join(folder, 'resources', 'app.asar')
  const content = join(place, 'content')
  asar.extractAll(archive, content)
  const program = join(folder, process.platform === 'win32' ? 'Perpscope.exe' : 'perpscope-desktop')
  return { folder, program, archive, content, close: () => rmSync(place, { recursive: true, force: true }) }
}

/** Makes the Debian package of a packed app, with a stand-in for fpm. @returns path of the package */
export async function packDebian({ folder }: PackedApp): Promise<string> {
  const run = promisify(execFile)
  await run(process.execPath, [join(root, 'scripts', 'packing', 'linuxFiles.ts')], { cwd: root })
  const output = mkdtempSync(join(folder, '..', 'debian-'))
  const options = ['--linux', 'deb', '--publish', 'never', '--prepackaged', folder, `-c.directories.output=${output}`]
  await run(process.execPath, [builderCli, ...options], {
    cwd: root,
    env: { ...process.env, CUSTOM_FPM_PATH: join(root, 'test', 'fakes', 'standInFpm.mjs') },
  })
  return join(
    output,
    readdirSync(output).find((name) => name.endsWith('.deb'))!,
  )
}
