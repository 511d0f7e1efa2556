import type { Brp, OperatorAsset, Series } from '@saldo/api';
import { checkMarketLocation } from '@saldo/core/series/market-location.ts';
import { linkOptions } from '@tanstack/react-router';
import type { Dictionary } from '../i18n/dictionary.ts';
import { operatorClient as client } from '../session/operator-client.ts';
import { commonSources, type Found, groupOf, MAX_FOUND, oneFound, type Sources } from './sources.ts';

const limit = MAX_FOUND;

const common = commonSources('/operator');

const asset =
  (t: Dictionary) =>
  ({ id, name, technology, tso }: OperatorAsset): Found => ({
    label: name,
    detail: `${t.brp.contracts.technologies[technology]} · ${t.common.tsos[tso]}`,
    page: linkOptions({ to: '/operator/assets/$assetId', params: { assetId: id } }),
  });

const brp = ({ id, name }: Brp): Found => ({
  label: name,
  detail: '',
  page: linkOptions({ to: '/operator/brps/$brpId', params: { brpId: id } }),
});

const series =
  (t: Dictionary) =>
  ({ id, name, kind, market_location }: Series): Found => ({
    label: name,
    detail: [t.common.origins[kind], market_location].filter(Boolean).join(' · '),
    page: linkOptions({ to: '/operator/series/$seriesId', params: { seriesId: id } }),
  });

/** The operator searches the records of all BRPs. */
export const sources: Sources = {
  lists: [
    ...common.lists,
    async (search, t, signal) => {
      const page = await client.assets.list({ search, limit }, { signal });
      const all = linkOptions({ to: '/operator/assets', search: { search } });
      return groupOf('assets', page, page.assets, asset(t), all);
    },
    async (search, _t, signal) => {
      const page = await client.brps.list({ search, limit }, { signal });
      const all = linkOptions({ to: '/operator/brps', search: { search } });
      return groupOf('brps', page, page.brps, brp, all);
    },
    // The list of series is searched by whole market locations only.
    async (typed, t, signal) => {
      const market_location = typed.toUpperCase();
      if (checkMarketLocation(market_location) !== null) return { name: 'series', found: [], all: null };
      const page = await client.series.list({ market_location, limit }, { signal });
      const all = linkOptions({ to: '/operator/series', search: { market_location } });
      return groupOf('series', page, page.series, series(t), all);
    },
  ],
  byId: {
    ...common.byId,
    ast: async (id, t, signal) => oneFound('assets', asset(t)(await client.assets.get(id, { signal }))),
    ser: async (id, t, signal) => oneFound('series', series(t)(await client.series.get(id, { signal }))),
    icg: async (id, _t, signal) => {
      const { sender, reference } = await client.interchanges.get(id, { signal });
      return oneFound('interchanges', {
        label: reference ?? id,
        detail: sender ?? '',
        page: linkOptions({
          to: '/operator/series/interchanges/$interchangeId',
          params: { interchangeId: id },
        }),
      });
    },
    brp: async (id, _t, signal) => oneFound('brps', brp(await client.brps.get(id, { signal }))),
    msg: async (id, t, signal) => {
      const { type, tso, file_name } = await client.messages.get(id, { signal });
      const named = tso === null ? '' : ` · ${t.common.tsos[tso]}`;
      return oneFound('messages', {
        label: `${t.exchange.message.types[type]}${named}`,
        detail: file_name ?? id,
        page: linkOptions({ to: '/operator/messages/$messageId', params: { messageId: id } }),
      });
    },
  },
};
