import { createPortalClient } from '@saldo/sdk';

/** The server that the page came from; who asks, it knows by the session's cookie. */
export const ACCESS = { baseUrl: '', credentials: 'session' } as const;

export const portalClient = createPortalClient(ACCESS);
