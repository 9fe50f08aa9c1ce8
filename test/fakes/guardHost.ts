/** Runs a host whose guarded process never ends its task, and prints the id of that process. */
import { createGuard } from '#core/guard/guard.ts'
import { startNodeProcess } from '#core/guard/guardedProcess.ts'

const guard = createGuard<string, { pid: number }>({
  start: startNodeProcess,
  entry: new URL('misbehavingGuarded.ts', import.meta.url),
  name: 'test',
  processes: 1,
  limitsOf: () => ({ cpuMs: Infinity, wallMs: Infinity, memoryBytes: 2 ** 32 }),
})
const { pid } = await guard.run('before')
void guard.run(process.argv[2])
process.send?.(pid)
