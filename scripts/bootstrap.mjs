/**
 * Prepares a fresh clone: it installs the npm packages and, if it runs for the tests, the system packages that the
 * tests need. It has no dependencies, runs on the system's Node from version 20 on, and ends immediately when nothing
 * has changed.
 */
import { installPackages, loadStamp, saveStamp } from './bootstrap/packages.mjs'
import { installSystemPackages } from './bootstrap/system.mjs'

const OLDEST_BOOTSTRAP_NODE = 20

const say = (line) => console.log(line)

async function bootstrap({ forTests }) {
  if (Number(process.versions.node.split('.')[0]) < OLDEST_BOOTSTRAP_NODE) {
    say(
      `Installing the packages needs Node ${OLDEST_BOOTSTRAP_NODE} or newer, and this is ${process.versions.node}. ` +
        'On Linux and Windows, Node 24 comes with the packages and runs everything else.',
    )
    return 1
  }
  const { tried } = loadStamp()
  // System packages come first, because the keychain binding compiles only if its headers are installed.
  const failedPackages = forTests ? await installSystemPackages(say, tried) : tried
  if (!(await installPackages(say, forTests ? 'all' : 'start'))) return 1
  const stamp = loadStamp()
  if (failedPackages.join() !== stamp.tried.join()) saveStamp({ ...stamp, tried: failedPackages })
  return 0
}

process.exitCode = await bootstrap({ forTests: process.argv.includes('--for-tests') })
