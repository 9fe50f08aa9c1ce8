/**
 * Styles that components write at run time are allowed by the page's policy only with the nonce of this very page.
 * The library that writes them has no place for one, so every new style element gets it here. Imported before anything else.
 */
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce
const createPlain = document.createElement.bind(document)

document.createElement = ((name: string, options?: ElementCreationOptions) => {
  const element = createPlain(name, options)
  if (nonce && name.toLowerCase() === 'style') element.nonce = nonce
  return element
}) as typeof document.createElement
