import { createBrpClient } from '@saldo/sdk';
import { ACCESS } from './clients.ts';

/** Loaded by the pages of BRPs alone. */
export const brpClient = createBrpClient(ACCESS);
