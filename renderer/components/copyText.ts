/**
 * Copies text to the clipboard.
 * @returns false if the system refuses
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

/** Copies through a selection, which needs no clipboard permission. */
function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea')
  const focusedBefore = document.activeElement
  area.value = text
  area.className = 'unseen'
  document.body.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (focusedBefore instanceof HTMLElement) focusedBefore.focus()
  return isCopied
}
