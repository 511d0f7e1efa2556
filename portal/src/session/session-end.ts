import { isProblem } from '@saldo/sdk';

/**
 * Whether a request was refused because there is no session, or one that lacks its second factor. A wrong password is a
 * 401 too, and does not end the session.
 */
export const isSessionEnd = (error: unknown): boolean =>
  isProblem(error, 'second_factor_required') ||
  (isProblem(error) && error.status === 401 && error.code !== 'invalid_credentials');
