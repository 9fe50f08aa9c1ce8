import { cutText } from '#shared/units/fileNames.ts'

/** Saves a file: in a browser as a download, in the desktop app through a save dialog. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  // The URL is revoked so that the content does not stay in memory, but only after the download has surely read it.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** Joins texts with hyphens into a file name that is valid on every system. */
export const exportName = (...pieces: readonly string[]): string =>
  cutText(
    pieces
      .map((word) => word.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[-.]+|[-.]+$/g, ''))
      .filter(Boolean)
      .join('-'),
    120,
  ) || 'perpscope'
