/** Entry of the thread that writes one file at a time, piece by piece. */
import { answerTasks } from '#core/threads/answerTasks.ts'
import type { ExportPart, ExportTask } from './exportTask.ts'
import { ExportFile } from './exportFile.ts'

let file: ExportFile | null = null

async function work(task: ExportTask): Promise<ExportPart> {
  if (task.step === 'open') file = new ExportFile(task.plan)
  if (!file) throw new Error('a file must be opened first')
  if (task.step === 'open') return { bytes: [file.head()], rows: 0, duplicates: 0, unread: [], notes: file.notes }
  if (task.step === 'part') return file.part(task)
  const endedFile = file
  file = null
  return { bytes: [await endedFile.end(task.provenance)], rows: 0, duplicates: 0, unread: [] }
}

answerTasks<ExportTask, ExportPart>(work, ({ bytes }) =>
  bytes.map(({ buffer }) => buffer).filter((buffer) => buffer instanceof ArrayBuffer),
)
