import { settingsSections as sections } from '../../text/settingsSections.ts'

/** Settings sections in order; the name of a section is its path after `/settings/`. */
export const sectionList = [
  { name: 'connections', title: sections.connections },
  { name: 'appearance', title: sections.appearance },
  { name: 'time', title: sections.time },
  { name: 'instruments', title: sections.instruments },
  { name: 'documents', title: sections.documents },
  { name: 'downloads', title: sections.downloads },
  { name: 'network', title: sections.network },
  { name: 'cache', title: sections.cache },
  { name: 'requests', title: sections.requests },
  { name: 'about', title: sections.about },
] as const

export type SectionName = (typeof sectionList)[number]['name']
