export const USUAL_PANEL_PX = 286
export const LEAST_PANEL_PX = 220
export const MOST_PANEL_PX = 640

/** Tells whether a stored side panel width is one that a user could have set. */
export const isPanelWidth = (kept: unknown): kept is number =>
  typeof kept === 'number' && kept >= LEAST_PANEL_PX && kept <= MOST_PANEL_PX
