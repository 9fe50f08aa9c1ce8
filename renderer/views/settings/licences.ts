/** A package that the program contains, as the build lists it. */
export interface Licence {
  name: string
  version: string
  licence: string
  licenceText: string
}

/** Loads the list that the build writes beside the page. @throws if the window was not built */
export async function loadLicences(): Promise<Licence[]> {
  const file = new URL('licences.js', document.baseURI).href
  const { packages } = (await import(/* @vite-ignore */ file)) as { packages: Licence[] }
  return packages
}
