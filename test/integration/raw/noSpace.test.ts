import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'
import { smallDisk } from '../../fakes/smallDisk.ts'
import { RawFolder } from '../rawFolder.ts'
import { day, eventsOf, symbol, venue } from './rawWorld.ts'
import { program } from '../../fakes/commandLine.ts'

const [probe, ...probeArgs] = smallDisk(tmpdir(), '1m')
const isPossible = process.platform === 'linux' && spawnSync(probe, [...probeArgs, 'true']).status === 0

test.skipIf(!isPossible)(
  `a disk that fills up is reported, and nothing half-done stays${isPossible ? '' : ' (skipped: this machine lets nobody mount a small disk)'}`,
  async () => {
    const raw = await RawFolder.create()
    // Ids and prices that compress badly make a file of about two megabytes per day.
    const noise = eventsOf
      .trades(120_000)
      .replace('CAST(i AS VARCHAR)', 'CAST(hash(i) AS VARCHAR)')
      .replaceAll('i * 1000000', 'i * 700000')
    const days = ['2026-09-01', '2026-09-02', '2026-09-03', '2026-09-04']
    for (const one of days) await raw.write('trades', one, noise.replaceAll(day, one))
    const disk = temporaryFolder()
    const script = `
      "$0" "$1" import "$2" --json --data-dir '${disk}/data'; echo "status $?"
      find '${disk}' -name '*.part' | wc -l
      "$0" "$1" verify --json --data-dir '${disk}/data'; echo "verified $?"`
    const [command, ...args] = smallDisk(disk, '7m')
    const ran = spawnSync(command, [...args, 'sh', '-c', script, process.execPath, program, raw.folder], {
      encoding: 'utf8',
    })
    const lines = ran.stdout.trim().split('\n')
    const files = lines
      .filter((line) => line.startsWith('{"file"'))
      .map((line) => JSON.parse(line) as { state: string; error: string | null })
    expect(files).toHaveLength(days.length)
    expect(files[0]).toMatchObject({ state: 'imported', exchange: venue, symbol })
    const failed = files.filter(({ state }) => state === 'failed')
    expect(failed.length).toBeGreaterThan(0)
    for (const { error } of failed) expect(error).toMatch(/no space|folder is/i)
    expect(lines).toContain('status 3')
    expect(lines).toContain('0')
    expect(lines).toContain('verified 0')
  },
  60_000,
)
