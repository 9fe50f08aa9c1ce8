import { defineAsyncComponent, type Component } from 'vue'

export interface Tab {
  name: string
  title: string
  view: Component
}

/** In the order of the bar; each is loaded when first opened. */
export const tabs: readonly Tab[] = [
  {
    name: 'portfolio',
    title: 'Portfolio',
    view: defineAsyncComponent(() => import('./portfolio/PortfolioView.vue')),
  },
  { name: 'weights', title: 'Weights', view: defineAsyncComponent(() => import('./weights/WeightsView.vue')) },
  { name: 'explain', title: 'Explain', view: defineAsyncComponent(() => import('./explain/ExplainView.vue')) },
  { name: 'factors', title: 'Factors', view: defineAsyncComponent(() => import('./factors/FactorsView.vue')) },
  { name: 'universe', title: 'Universe', view: defineAsyncComponent(() => import('./universe/UniverseView.vue')) },
  {
    name: 'overlays',
    title: 'Overlays & regimes',
    view: defineAsyncComponent(() => import('./overlays/OverlaysView.vue')),
  },
  { name: 'prices', title: 'Prices', view: defineAsyncComponent(() => import('./prices/PricesView.vue')) },
]
