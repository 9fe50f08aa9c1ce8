/**
 * Adds the page's nonce to new style elements, because the content security policy allows run-time styles only with a
 * nonce and the styling library of naive-ui has no option for one. This file must be imported before any other.
 */
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce
const createPlain = document.createElement.bind(document)

document.createElement = ((name: string, options?: ElementCreationOptions) => {
  const element = createPlain(name, options)
  if (nonce && name.toLowerCase() === 'style') element.nonce = nonce
  return element
}) as typeof document.createElement
