import type { Store } from './store.ts'

/** A cached file that has another time than the one in the index, but the content that was validated. */
export interface UnchangedFile {
  path: string
  sha256: string
  changedAtMs: number
}

/** Notes the new times of files whose content is still what was validated, so that they are not validated again. */
export function noteUnchanged({ files, folder }: Pick<Store, 'files' | 'folder'>, unchanged: readonly UnchangedFile[]) {
  if (unchanged.length === 0) return
  const timeByPath = new Map(unchanged.map(({ path, changedAtMs }) => [path, changedAtMs]))
  files.noteTimes(
    files.withContent(unchanged.map(({ sha256 }) => sha256)).flatMap(({ series, period }) => {
      const changedAtMs = timeByPath.get(folder.pathOf(series, period))
      return changedAtMs === undefined ? [] : [{ series, period, changedAtMs }]
    }),
  )
}
