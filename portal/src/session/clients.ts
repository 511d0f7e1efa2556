import { createPortalClient } from '@saldo/sdk';

/** The server that the page came from; who asks, it knows by the session's cookie. */
export const ACCESS = { baseUrl: '', credentials: 'session' } as const;

export const portalClient = createPortalClient(ACCESS);

/** For a password: a delay is shown to the user at once instead of being waited for. */
export const ONCE = { retry: { maxAttempts: 1 } } as const;
