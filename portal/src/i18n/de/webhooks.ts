import type { Dictionary } from '../dictionary.ts';

export const webhooks: Dictionary['webhooks'] = {
  title: 'Webhooks',
};
