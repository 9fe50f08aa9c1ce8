/** Hands a file to the person: a browser puts it among its downloads, the desktop app asks where. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  // The download has the content by then; what is never revoked stays in memory.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** Words as the name of a file on any system. */
export const fileName = (...pieces: readonly string[]): string =>
  pieces
    .map((word) => word.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[-.]+|[-.]+$/g, ''))
    .filter(Boolean)
    .join('-')
    .slice(0, 120) || 'perpscope'
