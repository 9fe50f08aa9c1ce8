import { randomUUID } from 'node:crypto'
import { copyFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DownloadItem, Session } from 'electron'

/** A file of this name says where the numbers of another come from, and follows it. */
const BESIDE = '.provenance.json'

/** Asks once for a file and what goes beside it: the second waits aside until the person has said where the first goes. */
export function keepBeside(session: Session, folder: string = tmpdir()): void {
  /** By its name, while it is on its way or the person is asked. */
  const leading = new Map<string, DownloadItem>()
  session.on('will-download', (event, item) => {
    if (event.defaultPrevented) return
    const name = item.getFilename()
    const leader = name.endsWith(BESIDE) ? leading.get(name.slice(0, -BESIDE.length)) : undefined
    if (leader) return follow(item, leader, join(folder, `${randomUUID()}${BESIDE}`))
    leading.set(name, item)
    item.once('done', () => leading.delete(name))
  })
}

function follow(item: DownloadItem, leader: DownloadItem, aside: string): void {
  item.setSavePath(aside)
  const ended = [item, leader].map(
    (each) => new Promise<boolean>((resolve) => each.once('done', (_event, state) => resolve(state === 'completed'))),
  )
  void Promise.all(ended)
    .then(async (came) => {
      if (came.every(Boolean)) await copyFile(aside, `${leader.getSavePath()}${BESIDE}`)
    })
    // The file itself is there; what was to stand beside it could not be written where it went.
    .catch(() => {})
    .finally(() => rm(aside, { force: true }))
}
