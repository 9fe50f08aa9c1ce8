import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { action, type Command, exit } from '../command.ts'
import { Failure } from '../failure.ts'
import { pythonText as text } from '../text/recordCommands.ts'

const runsFromSources = import.meta.url.endsWith('.ts')

/** Lists the folders that may contain the Python module: one in a checkout, another in the installed app. */
const folders = (): string[] => [
  fileURLToPath(new URL(runsFromSources ? '../../../resources/python' : '../../resources/python', import.meta.url)),
  ...('resourcesPath' in process && typeof process.resourcesPath === 'string'
    ? [join(process.resourcesPath, 'python')]
    : []),
]

const path = action({
  name: 'path',
  summary: text.path.summary,
  run({ out }) {
    const folder = folders().find((each) => existsSync(join(each, 'pyproject.toml')))
    if (folder === undefined) throw new Failure(text.path.none)
    out.result({ path: folder }, () => [folder])
    return Promise.resolve(exit.done)
  },
})

export const command: Command = {
  verb: 'python',
  summary: text.summary,
  description: text.description,
  examples: ['pip install "$(perpscope python path)"'],
  actions: [path],
}
