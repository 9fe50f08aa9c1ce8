/**
 * Stands in for spark-sql: reads the script of `-f FILE`, shows progress, and writes a copy of the source file into
 * each folder of the script. Arguments: mode, source file, file for its notes, and those of spark-sql. The modes are
 * write, fail, nothing, half, hang, and wait, which writes once the test has removed the notes.
 */
import { spawn } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [mode, source, notes, ...rest] = process.argv.slice(2)
const sql = readFileSync(rest[rest.indexOf('-f') + 1], 'utf8')
writeFileSync(notes, JSON.stringify({ args: rest, sql }))
process.stderr.write('\r[Stage 3:=====>      (5 + 2) / 8]')
if (mode === 'fail') {
  process.stderr.write(
    '\nError in query: [TABLE_OR_VIEW_NOT_FOUND] The table raw.trades cannot be found.\n\tat org.apache\n',
  )
  process.exit(2)
}
if (mode === 'wait') {
  while (existsSync(notes)) await new Promise((resume) => setTimeout(resume, 20))
  // The process ends if its output cannot be written, as most programs do.
  await new Promise((resume) => process.stdout.write('goes on\n', (error) => (error ? process.exit(3) : resume())))
}
if (mode === 'hang') {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })
  writeFileSync(notes, JSON.stringify({ pids: [process.pid, child.pid] }))
  setInterval(() => {}, 1000)
} else if (mode !== 'nothing')
  for (const [, folder] of sql.matchAll(/INSERT OVERWRITE DIRECTORY '([^']+)'/g)) {
    mkdirSync(folder, { recursive: true })
    const path = join(folder, 'part-00000-7.snappy.parquet')
    if (mode === 'half') writeFileSync(path, readFileSync(source).subarray(0, 300))
    else copyFileSync(source, path)
    writeFileSync(join(folder, '_SUCCESS'), '')
    process.stderr.write('Time taken: 1.5 seconds\n')
  }
