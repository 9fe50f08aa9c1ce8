/** The README's pictures, in `resources/screenshots`, and the stop of the tour each of them shows. `npm run pictures` takes them anew. */
export const tourPictures: Readonly<Record<string, string>> = {
  'workbench.png': '02-workbench',
  'catalog.png': '03-catalog',
  'coverage.png': '04-coverage',
  'portfolio.png': '07-portfolio',
}
