import type { UserRole } from '@saldo/api';
import { brpClient, operatorClient } from './clients.ts';

/** The same records, through the API of the own role: a BRP reads its own, the operator those of all. */
type Reader = typeof operatorClient | typeof brpClient;

let current: Reader = brpClient;

export function setReader(role: UserRole): void {
  current = role === 'operator' ? operatorClient : brpClient;
}

export const reader = (): Reader => current;
