/**
 * Makes a fresh clone ready: packages from npm and, for the tests, what they need from the system. Has no dependencies, runs on
 * the system's Node, and is done at once when nothing changed.
 */
import { installPackages, loadStamp, saveStamp } from './bootstrap/packages.mjs'
import { installSystemPackages } from './bootstrap/system.mjs'

const say = (line) => console.log(line)

async function bootstrap({ forTests }) {
  const { tried } = loadStamp()
  // First, because the keychain binding compiles only where its headers are.
  const failed = forTests ? await installSystemPackages(say, tried) : tried
  if (!(await installPackages(say))) return 1
  const stamp = loadStamp()
  if (failed.join() !== stamp.tried.join()) saveStamp({ ...stamp, tried: failed })
  return 0
}

process.exitCode = await bootstrap({ forTests: process.argv.includes('--for-tests') })
