import { createOperatorClient } from '@saldo/sdk';
import { ACCESS } from './clients.ts';

/** Loaded only by the operator's pages, because its endpoint table is the largest. */
export const operatorClient = createOperatorClient(ACCESS);
