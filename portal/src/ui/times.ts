/** How long confirmations stay on the screen. */
export const SHOWN_MS = { toast: 6000, copied: 1500 } as const;
