/**
 * Runs in a page: writes an error to its console wherever a text, label, field, address or canvas shows a venue by the
 * name that the service documents give it.
 */
export function reportVenueTokens(): void {
  const token = /venue[abc]/i
  const attributes = ['title', 'aria-label', 'aria-description', 'placeholder', 'alt', 'value', 'href']
  const told = new Set<string>()
  const look = (place: string, text: string | null | undefined) => {
    const index = text?.search(token) ?? -1
    if (index < 0) return
    const message = `${location.hash}, ${place}: …${text!.slice(Math.max(0, index - 80), index + 40)}…`
    if (!told.has(message)) console.error(`A name of the documents is shown at ${message}`)
    told.add(message)
  }
  const lookAt = (node: Node) => {
    if (node instanceof Text) look(`text of ${node.parentElement?.className || node.parentElement?.tagName}`, node.data)
    if (node instanceof Element) for (const name of attributes) look(name, node.getAttribute(name))
  }
  const lookBelow = (root: Node) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT)
    for (let node: Node | null = root; node; node = walker.nextNode()) lookAt(node)
  }
  const observer = new MutationObserver((records) => {
    for (const { type, target, addedNodes } of records)
      if (type === 'childList') addedNodes.forEach(lookBelow)
      else lookAt(target)
    // A field's value and the address change without a mutation.
    for (const field of document.querySelectorAll<HTMLInputElement>('input, textarea')) look('field', field.value)
    look('address', decodeURIComponent(location.href))
  })
  observer.observe(document, {
    subtree: true,
    childList: true,
    characterData: true,
    attributes: true,
    attributeFilter: attributes,
  })
  const { fillText } = CanvasRenderingContext2D.prototype
  CanvasRenderingContext2D.prototype.fillText = function (...given) {
    look('canvas', given[0])
    fillText.apply(this, given)
  }
}
