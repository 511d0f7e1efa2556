import { createBrpClient } from '@saldo/sdk';
import { ACCESS } from './clients.ts';

/** Loaded only by the pages of BRPs. */
export const brpClient = createBrpClient(ACCESS);
