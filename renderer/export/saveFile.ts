import { cutText } from '#shared/units/fileNames.ts'

/** Saves a file: a browser downloads it, the desktop app asks for a place. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  // The URL is revoked after the download has read it, because an unrevoked one stays in memory.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** Joins texts to a file name that every system accepts. */
export const fileName = (...pieces: readonly string[]): string =>
  cutText(
    pieces
      .map((word) => word.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[-.]+|[-.]+$/g, ''))
      .filter(Boolean)
      .join('-'),
    120,
  ) || 'perpscope'
