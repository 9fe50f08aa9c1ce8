/** Builds the program for `npm pack`, and puts the manual page and the keychain binding of this system beside it. */
import './build.mjs'
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { runProgram } from './processes.mjs'
import { at, projectNode, root } from './project.mjs'

if (!process.exitCode)
  process.exitCode = (
    await runProgram(projectNode(), [at('scripts', 'packing', 'linuxFiles.ts')], { cwd: root })
  ).status

const binding = at('node_modules', 'keytar', 'build', 'Release', 'keytar.node')
if (existsSync(binding)) {
  mkdirSync(at('out', 'keychain'), { recursive: true })
  copyFileSync(binding, at('out', 'keychain', `${process.platform}-${process.arch}.node`))
} else console.error('The keychain binding (keytar) is not built, so the package brings none.')
