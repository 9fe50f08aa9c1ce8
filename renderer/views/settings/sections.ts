import type { Component } from 'vue'
import AboutSection from './AboutSection.vue'
import AppearanceSection from './AppearanceSection.vue'
import CacheSection from './CacheSection.vue'
import ConnectionsSection from './ConnectionsSection.vue'
import DocumentsSection from './DocumentsSection.vue'
import DownloadsSection from './DownloadsSection.vue'
import InstrumentsSection from './InstrumentsSection.vue'
import NetworkSection from './NetworkSection.vue'
import RequestsSection from './RequestsSection.vue'
import type { SectionName } from './sectionList.ts'
import TimeZoneSection from './TimeZoneSection.vue'

export const componentBySection: Record<SectionName, Component> = {
  connections: ConnectionsSection,
  appearance: AppearanceSection,
  time: TimeZoneSection,
  instruments: InstrumentsSection,
  documents: DocumentsSection,
  downloads: DownloadsSection,
  network: NetworkSection,
  cache: CacheSection,
  requests: RequestsSection,
  about: AboutSection,
}
