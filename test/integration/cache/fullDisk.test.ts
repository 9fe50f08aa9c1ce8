import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { openStore } from '#core/store/store.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { program } from '../../fakes/commandLine.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { fakeLog } from '../../fakes/fakeLog.ts'
import { addCachedFile } from '../../fakes/parquetCache.ts'
import { smallDisk } from '../../fakes/smallDisk.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const [probe, ...probeArgs] = smallDisk(tmpdir(), '1m')
const isPossible = process.platform === 'linux' && spawnSync(probe, [...probeArgs, 'true']).status === 0

/** Runs shell lines on a small disk that holds a data folder with three files and has no byte left. */
function onFullDisk(lines: string) {
  const dataDir = dataFolder()
  const store = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
  for (const day of ['2026-08-01', '2026-08-02', '2026-08-03']) addCachedFile(store, dataDir, flowSeries({}), day)
  store.close()
  const disk = temporaryFolder()
  const script = `
    cp -a '${dataDir}' '${disk}/data' && dd if=/dev/zero of='${disk}/filling' bs=1k 2>/dev/null
    df --output=avail '${disk}' | tail -1
    ${lines}`
  const [command, ...args] = smallDisk(disk, '6m')
  const ran = spawnSync(command, [...args, 'sh', '-c', script, process.execPath, program, `${disk}/data`], {
    encoding: 'utf8',
  })
  return ran.stdout
    .trim()
    .split('\n')
    .map((line) => line.trim())
}

test.skipIf(!isPossible).each([
  ['prune', `"$0" "$1" prune --max-size 0 --json --data-dir "$2"; echo "status $?"`],
  ['cache remove', `"$0" "$1" cache remove --dataset flow --json --data-dir "$2"; echo "status $?"`],
])(
  `%s frees a disk without a byte left, again and again${isPossible ? '' : ' (skipped: this machine lets nobody mount a small disk)'}`,
  (_name, lines) => {
    const look = `"$0" "$1" ls --json --data-dir "$2" >/dev/null; echo "listed $?"`
    const output = onFullDisk(`${look}\n${look}\n${lines}\nfind "$2/files" -name '*.parquet' | wc -l`)
    expect(output.slice(0, 3)).toEqual(['0', 'listed 0', 'listed 0'])
    expect(output.slice(-2)).toEqual(['status 0', '0'])
  },
  60_000,
)
