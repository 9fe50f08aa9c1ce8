import type { ParquetFile } from './parquetFile.ts'
import { readNumbers, readTexts } from './readColumn.ts'
import { TextDictionary } from './textDictionary.ts'

/**
 * Reads every value, and holds the number of nulls against what the file says; throws `corrupt-file` where that fails.
 * Several times the work of a proof, so for those who ask for it.
 */
export function checkValues(file: ParquetFile): void {
  const longest = Math.max(0, ...file.rowGroups.map(({ rows }) => rows))
  const values = new Float64Array(longest)
  const codes = new Int32Array(longest)
  file.columns.forEach(({ name, type }, index) => {
    // Values of other types are not checked, because the reader's interpretation of them says nothing about the bytes.
    if (type === 'other') return
    for (const { startRow, rows, chunks } of file.rowGroups) {
      const range = { from: startRow, to: startRow + rows }
      const nulls =
        type === 'text'
          ? readTexts(file, name, range, new TextDictionary(), { values: codes, at: 0 })
          : readNumbers(file, name, range, { values, at: 0 })
      const stated = chunks[index].statistics?.null_count
      if (stated !== undefined && Number(stated) !== nulls)
        throw file.damaged(`column ${name} has ${nulls} missing values where the file says ${stated}`)
    }
  })
}
