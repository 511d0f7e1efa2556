import { createOperatorClient } from '@saldo/sdk';
import { ACCESS } from './clients.ts';

/** Loaded by the operator's pages alone: it knows the largest of the APIs. */
export const operatorClient = createOperatorClient(ACCESS);
