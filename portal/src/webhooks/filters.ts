import { DELIVERY_STATES } from '@saldo/api';
import { oneOf, searchReader, text } from '../ui/search-parameters.ts';

const ID_LENGTH = 40;

/** The selected endpoint, and the filter of its deliveries. */
export const readWebhookSearch = searchReader({ endpoint: text(ID_LENGTH), state: oneOf(DELIVERY_STATES) });
