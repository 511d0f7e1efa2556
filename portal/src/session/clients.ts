import { createPortalClient } from '@saldo/sdk';

/** The server that the page was loaded from; the session cookie identifies the caller. */
export const ACCESS = {
  baseUrl: '',
  credentials: 'session',
  /** The server's sentences are in the language of the page, which may change. */
  get language() {
    return document.documentElement.lang;
  },
} as const;

export const portalClient = createPortalClient(ACCESS);

/** For passwords: a delay is shown to the user instead of being retried. */
export const NO_RETRY = { retry: { maxAttempts: 1 } } as const;
