import type { MarketAsset, MarketDemand } from '@saldo/api';
import type { QueryClient } from '@tanstack/react-query';
import { linkOptions } from '@tanstack/react-router';
import type { Dictionary } from '../i18n/dictionary.ts';
import { formatOf } from '../i18n/format.ts';
import { demandsQuery, offersQuery } from '../market/queries.ts';
import { MARKET_TEXTS } from '../market/texts.ts';
import { portalClient } from '../session/clients.ts';
import { matchesWords } from './query.ts';
import { type Found, type FoundGroup, MAX_FOUND, type Sources } from './sources.ts';

const placeOf = ({ state, country }: MarketAsset | MarketDemand, t: Dictionary): string =>
  [state, formatOf(t.language).country(country)].filter(Boolean).join(', ');

/** The records whose name or place matches. The lists have no search that leads to the same records. */
const matching = (name: FoundGroup['name'], typed: string, records: readonly Found[]): FoundGroup => {
  const words = typed.split(/\s+/);
  const found = records.filter(({ label, detail }) => matchesWords(words, `${label} ${detail}`));
  return { name, found: found.slice(0, MAX_FOUND), all: null };
};

/** Account holders search the market. Its lists are those of their pages, loaded once. */
export const accountSources = (queryClient: QueryClient): Sources => ({
  lists: [
    async (typed, t) => {
      const { records } = await queryClient.fetchQuery(offersQuery);
      const types = MARKET_TEXTS[t.language].assetTypes;
      const offers = records.map((offer) => ({
        label: offer.name,
        detail: `${types[offer.assetType]} · ${placeOf(offer, t)}`,
        page: linkOptions({ to: '/offers/$assetId', params: { assetId: offer.id } }),
      }));
      return matching('offers', typed, offers);
    },
    async (typed, t) => {
      const { records } = await queryClient.fetchQuery(demandsQuery);
      const format = formatOf(t.language);
      const demands = records.map((demand) => ({
        label: `${format.number(demand.deliveryVolume)} ${MARKET_TEXTS[t.language].perYear}`,
        detail: [placeOf(demand, t), demand.additionalInfo].filter(Boolean).join(' · '),
        page: linkOptions({ to: '/demands', search: { country: demand.country } }),
      }));
      return matching('demands', typed, demands);
    },
    async (typed, _t, signal) => {
      const { inquiries } = await portalClient.inquiries.list({}, { signal });
      const page = linkOptions({ to: '/inquiries' });
      const found = inquiries.map(({ message, answer }) => ({ label: message, detail: answer ?? '', page }));
      return matching('inquiries', typed, found);
    },
  ],
  byId: {},
});
