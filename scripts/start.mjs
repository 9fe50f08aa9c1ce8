/** Opens the app in Electron if its binary is installed or can be downloaded, otherwise in a browser. */
import { build, isBuilt } from './builds.mjs'
import { downloadElectron, findElectron } from './electronBinary.mjs'
import { runInTerminal } from './processes.mjs'
import { at, hasDisplay, nodeProblem, projectNode, root } from './project.mjs'

/** If Electron ends with an error within this time, it could not start, and the app opens in a browser instead. */
const STARTED_AFTER_SECONDS = 10

// Messages go to stderr, because scripts may read the app's address from stdout.
const say = (line) => console.error(line)

async function electronProgram() {
  if (!hasDisplay()) return null
  if (process.platform === 'linux' && process.getuid() === 0) {
    say('Electron does not run as root, so the app opens in a browser instead.')
    return null
  }
  return findElectron() ?? (await downloadElectron(say))
}

async function start(args) {
  const problem = nodeProblem() && projectNode() === process.execPath ? nodeProblem() : null
  if (problem) {
    say(problem)
    return 1
  }
  if (!isBuilt()) {
    say('Building …')
    if ((await build()).status !== 0) return 1
  }
  const electron = await electronProgram()
  if (electron) {
    const { status, interrupted, seconds } = await runInTerminal(electron, [root, ...args], { cwd: root })
    if (status === 0 || interrupted) return 0
    if (seconds > STARTED_AFTER_SECONDS) return status
    say('Electron could not start, so the app opens in a browser instead.')
  }
  const { status, interrupted } = await runInTerminal(projectNode(), [
    at('out', 'main', 'cli.js'),
    'serve',
    '--open',
    ...args,
  ])
  return interrupted ? 0 : status
}

process.exitCode = await start(process.argv.slice(2))
