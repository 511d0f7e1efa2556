/** How long confirmations stay on the screen. */
export const SHOWN_MS = { toast: 6000, copied: 1500 } as const;

/** A page that has no frame for so long is rendered without them. */
export const LONGEST_FRAME_MS = 250;
