import type { Component } from 'vue'
import AboutSection from './AboutSection.vue'
import AppearanceSection from './AppearanceSection.vue'
import CacheSection from './CacheSection.vue'
import ConnectionsSection from './ConnectionsSection.vue'
import DownloadsSection from './DownloadsSection.vue'
import RequestsSection from './RequestsSection.vue'
import TimeZoneSection from './TimeZoneSection.vue'

interface Section {
  /** The address behind `/settings/`. */
  name: string
  title: string
  component: Component
  /** Uses the whole width, as tables do. */
  isWide?: boolean
}

export const sections: readonly Section[] = [
  { name: 'connections', title: 'Connections', component: ConnectionsSection },
  { name: 'appearance', title: 'Appearance', component: AppearanceSection },
  { name: 'time', title: 'Time zone', component: TimeZoneSection },
  { name: 'downloads', title: 'Downloads', component: DownloadsSection },
  { name: 'cache', title: 'Cache', component: CacheSection },
  { name: 'requests', title: 'Requests', component: RequestsSection, isWide: true },
  { name: 'about', title: 'About', component: AboutSection },
]
