/** This file holds the texts around the user guide; the guide itself is in `views/guide/sections`. */
export const guideText = {
  sections: 'Sections of the guide',
  search: 'Search the guide',
  noHits: 'No section contains all of these words.',
  onThisPage: 'On this page',
  openScreen: (title: string) => `Open ${title}`,
  next: (title: string) => `Next: ${title}`,
  notFound: 'Section not found',
  toStart: 'Go to the start of the guide',
}
