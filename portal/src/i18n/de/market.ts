import type { Dictionary } from '../dictionary.ts';

export const market: Dictionary['market'] = {
  nav: {
    home: 'Markt',
    offers: 'Angebote',
    demands: 'Gesuche',
    inquiries: 'Anfragen',
    keys: 'API-Schlüssel',
    assets: 'Anlagen',
  },
  keysText:
    'Mit einem Schlüssel lesen Ihre Systeme Angebote und Gesuche. Ein Schlüssel wird einmal gezeigt, wenn er entsteht.',
};
