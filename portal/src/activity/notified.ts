/** The types of events that notifications of the browser are about. */
export const NOTIFIED = ['nomination.gate_closing', 'nomination.mismatched'] as const;
