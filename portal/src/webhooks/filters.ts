import { DELIVERY_STATES } from '@saldo/api';
import { oneOf, type SearchOf, searchReader, text } from '../ui/search-parameters.ts';

const ID_LENGTH = 40;

/** The selected endpoint, and the filter of its deliveries. */
const parameters = { endpoint: text(ID_LENGTH), state: oneOf(DELIVERY_STATES) };
export type WebhookSearch = SearchOf<typeof parameters>;
export const readWebhookSearch = searchReader(parameters);
