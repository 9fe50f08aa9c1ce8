import type { ConflictReason } from '#shared/contract/areas/folder.ts'
import type { FolderKindName } from '#shared/contract/documents/kindNames.ts'
import { plural } from '#shared/units/plurals.ts'

export const documentsText = {
  title: 'Documents folder',
  hint: 'Keeps workspaces, download sets, symbol lists, queries, studies, boards and the recipes of your own datasets as text files in a folder of your choice, such as a Git repository. Changes on either side are copied to the other immediately.',
  rules:
    'A document that changed on both sides is a conflict and stays as it is until you resolve it. A file that cannot be read is listed and left alone until you fix it. Deleting a file never removes its document; the deletion is a conflict too. Removing a document also deletes its file, unless the file has changed since.',
  folder: 'Folder',
  example: 'Path of a folder, such as /home/me/research',
  choose: 'Choose …',
  use: 'Use folder',
  stop: 'Stop using this folder',
  stopped: 'Files and documents stay as they are',
  refresh: 'Check again',
  none: 'No documents yet',
  table: 'Documents in the folder',
  columns: { kind: 'Kind', name: 'Name', file: 'File', state: 'State' },
  kinds: {
    workspace: 'Workspace',
    set: 'Download set',
    list: 'Symbol list',
    query: 'Query',
    study: 'Study',
    board: 'Board',
    own: 'Own dataset',
  } satisfies Record<FolderKindName, string>,
  states: { ok: 'up to date', conflict: 'conflict', broken: 'unreadable' },
  resolve: 'Resolve …',
  noFile: 'no file yet',
  attention: (count: number) =>
    `${plural(count, 'document in the documents folder needs', 'documents in the documents folder need')} your attention`,
  show: 'Show',
  conflict: {
    label: 'Resolve a conflict',
    titles: {
      changed: (name: string) => `Two versions of “${name}”`,
      'file-removed': (name: string) => `“${name}” has no file any more`,
      'removed-here': (name: string) => `“${name}” is only in the folder`,
      unmerged: (name: string) => `Git could not merge “${name}”`,
    } satisfies Record<ConflictReason, (name: string) => string>,
    reasons: {
      changed: 'It was changed here and in the folder. Lines that differ are marked.',
      'file-removed': 'Its file is gone from the folder.',
      'removed-here': 'You removed it here, but its file has changed since.',
      unmerged: 'Its file contains both versions. The one you keep replaces the file; then run git add.',
    } satisfies Record<ConflictReason, string>,
    sides: {
      changed: { mine: 'Here', file: 'In the folder' },
      'file-removed': { mine: 'Here', file: 'In the folder' },
      'removed-here': { mine: 'Here', file: 'In the folder' },
      unmerged: { mine: 'Your version', file: 'The other version' },
    } satisfies Record<ConflictReason, { mine: string; file: string }>,
    gone: 'gone',
    equal: (count: number) => plural(count, 'identical line'),
    loading: 'Comparing …',
    cancel: 'Cancel',
    choices: {
      changed: { mine: 'Keep mine', file: 'Keep the file', both: 'Keep both' },
      'file-removed': { mine: 'Write the file again', file: 'Remove it here too', both: null },
      'removed-here': { mine: 'Remove the file too', file: 'Restore from the file', both: null },
      unmerged: { mine: 'Keep yours', file: 'Keep the other', both: null },
    } satisfies Record<ConflictReason, { mine: string; file: string; both: string | null }>,
    resolved: (name: string) => `Resolved “${name}”`,
  },
} as const
