/**
 * Adds the page's nonce to new style elements, because the content security policy allows run-time styles only with it,
 * and naive-ui's styling library has no option for one. Must be imported first.
 */
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce
const createPlain = document.createElement.bind(document)

document.createElement = ((name: string, options?: ElementCreationOptions) => {
  const element = createPlain(name, options)
  if (nonce && name.toLowerCase() === 'style') element.nonce = nonce
  return element
}) as typeof document.createElement
