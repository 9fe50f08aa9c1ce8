/** Entry of the thread that packs, reads and builds backups, which takes seconds if they are large. */
import { answerTasks } from '#core/threads/answerTasks.ts'
import { carryRecord } from '../carryRecord.ts'
import { backupLimits, itemsOf, packBackup } from './backupFile.ts'
import type { BackupTask, BuiltRestore, PackedBackup } from './backupThread.ts'
import { buildFolder, containsUserData, readRestorable } from './restoreBackup.ts'

async function run(task: BackupTask): Promise<PackedBackup | BuiltRestore> {
  if (task.do === 'pack') return packBackup(task.dataDir, task.app, task.nowMs, backupLimits, task.withData)
  const { content, bytes } = await readRestorable(task.path, task.name)
  const items = itemsOf(content)
  if (!task.replace && containsUserData(task.dataDir)) return { state: 'in-use', items, bytes }
  const ledger = task.alwaysLedger ? (content.ledger ?? '') : content.ledger
  buildFolder(task.folder, { ...content, ledger }, { clock: { nowMs: () => task.nowMs }, log: { write: () => {} } })
  carryRecord(task.dataDir, task.folder)
  return { state: 'built', items, bytes }
}

answerTasks<BackupTask, PackedBackup | BuiltRestore>(run)
