/** The parts of the settings in their order: the address behind `/settings/`, and the title. */
export const sectionNames = [
  { name: 'connections', title: 'Connections' },
  { name: 'appearance', title: 'Appearance' },
  { name: 'time', title: 'Time zone' },
  { name: 'downloads', title: 'Downloads' },
  { name: 'cache', title: 'Cache' },
  { name: 'requests', title: 'Requests' },
  { name: 'about', title: 'About' },
] as const

export type SectionName = (typeof sectionNames)[number]['name']
