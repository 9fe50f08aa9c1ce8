import { defineAsyncComponent, h, type AsyncComponentLoader, type Component } from 'vue'

export interface Tab {
  name: string
  title: string
  view: Component
}

/** Over a slow line a tab takes a while; one that is here shows nothing else first. */
const WORDS_AFTER_MS = 300
const Loading = () => h('p', { class: 'soft loading', role: 'status' }, 'Loading …')
const loaded = (loader: AsyncComponentLoader): Component =>
  defineAsyncComponent({ loader, loadingComponent: Loading, delay: WORDS_AFTER_MS })

/** In the order of the bar; each is loaded when first opened. */
export const tabs: readonly Tab[] = [
  {
    name: 'portfolio',
    title: 'Portfolio',
    view: loaded(() => import('./portfolio/PortfolioView.vue')),
  },
  { name: 'weights', title: 'Weights', view: loaded(() => import('./weights/WeightsView.vue')) },
  { name: 'explain', title: 'Explain', view: loaded(() => import('./explain/ExplainView.vue')) },
  { name: 'factors', title: 'Factors', view: loaded(() => import('./factors/FactorsView.vue')) },
  { name: 'universe', title: 'Universe', view: loaded(() => import('./universe/UniverseView.vue')) },
  {
    name: 'overlays',
    title: 'Overlays & regimes',
    view: loaded(() => import('./overlays/OverlaysView.vue')),
  },
  { name: 'prices', title: 'Prices', view: loaded(() => import('./prices/PricesView.vue')) },
]
