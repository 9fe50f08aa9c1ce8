import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { attemptWrite } from '#shared/contract/writeError.ts'
import { action, type CliCommand, exit } from '../command.ts'
import { Failure } from '../failure.ts'
import { pythonWheel } from '../pythonWheel.ts'
import { checkTargetFolder, writeAtomically } from '../targets.ts'
import { pythonText as text } from '../text/recordCommands.ts'

const runsFromSources = import.meta.url.endsWith('.ts')

/** Lists the folders that may contain the Python module: one in a checkout, another in the installed app. */
const folders = (): string[] => [
  fileURLToPath(new URL(runsFromSources ? '../../../resources/python' : '../../resources/python', import.meta.url)),
  ...('resourcesPath' in process && typeof process.resourcesPath === 'string'
    ? [join(process.resourcesPath, 'python')]
    : []),
]

function moduleFolder(): string {
  const folder = folders().find((each) => existsSync(join(each, 'pyproject.toml')))
  if (folder === undefined) throw new Failure(text.path.none)
  return folder
}

const path = action({
  name: 'path',
  summary: text.path.summary,
  run({ out }) {
    const folder = moduleFolder()
    out.result({ path: folder }, () => [folder])
    return Promise.resolve(exit.done)
  },
})

const wheel = action({
  name: 'wheel',
  summary: text.wheel.summary,
  options: { out: { type: 'path', value: 'DIR', description: text.wheel.options.out } },
  run({ out, options }) {
    const folder = resolve(options.out ?? '.')
    checkTargetFolder(folder)
    const { name, bytes } = pythonWheel(moduleFolder())
    const target = join(folder, name)
    attemptWrite(target, () => {
      mkdirSync(folder, { recursive: true })
      writeAtomically(target, bytes)
    })
    out.result({ version: 1, path: target, bytes: bytes.length }, () => [target])
    return Promise.resolve(exit.done)
  },
})

export const command: CliCommand = {
  verb: 'python',
  summary: text.summary,
  description: text.description,
  examples: ['pip install "$(perpscope python wheel)"', 'pip install "$(perpscope python path)"'],
  actions: [path, wheel],
}
