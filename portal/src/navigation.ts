import type { UserRole } from '@saldo/api';
import type { NavigationItem } from './ui/navigation-item.ts';

type NavigationGroup = {
  /** Null for a role whose entries are few. */
  readonly name: 'today' | 'market' | 'parties' | 'administration' | null;
  readonly items: readonly NavigationItem[];
};

/** The navigation of each role, in display order. */
export const NAVIGATION: Readonly<Record<UserRole, readonly NavigationGroup[]>> = {
  brp: [
    {
      name: null,
      items: [
        { to: '/', label: (t) => t.brp.nav.home, icon: 'home' },
        { to: '/activity', label: (t) => t.activity.title, icon: 'pulse' },
        { to: '/nominations', label: (t) => t.brp.nav.nominations, icon: 'steps' },
        { to: '/check', label: (t) => t.schedule.check.title, icon: 'unequal' },
        { to: '/month', label: (t) => t.brp.nav.month, icon: 'grid' },
        { to: '/contracts', label: (t) => t.brp.nav.contracts, icon: 'contract' },
        { to: '/customers', label: (t) => t.brp.nav.customers, icon: 'people' },
        { to: '/balance-groups', label: (t) => t.brp.groups.title, icon: 'layers' },
        { to: '/users', label: (t) => t.operator.nav.users, icon: 'user', needs: 'admin' },
        { to: '/keys', label: (t) => t.brp.nav.keys, icon: 'key' },
        { to: '/webhooks', label: (t) => t.webhooks.title, icon: 'webhook' },
        { to: '/requests', label: (t) => t.common.requests, icon: 'list' },
      ],
    },
  ],
  operator: [
    {
      name: 'today',
      items: [
        { to: '/', label: (t) => t.operator.nav.home, icon: 'home' },
        { to: '/operator/activity', label: (t) => t.activity.title, icon: 'pulse' },
        { to: '/operator/nominations', label: (t) => t.operator.nav.nominations, icon: 'steps' },
        { to: '/operator/exchange', label: (t) => t.exchange.nav.exchange, icon: 'send' },
        { to: '/operator/mismatches', label: (t) => t.exchange.nav.mismatches, icon: 'unequal' },
        { to: '/operator/late', label: (t) => t.exchange.nav.late, icon: 'scale' },
        { to: '/operator/messages', label: (t) => t.exchange.nav.messages, icon: 'mail' },
      ],
    },
    {
      name: 'market',
      items: [
        { to: '/operator/contracts', label: (t) => t.operator.nav.contracts, icon: 'contract' },
        { to: '/operator/import', label: (t) => t.operator.nav.import, icon: 'upload' },
        { to: '/operator/series', label: (t) => t.operator.nav.series, icon: 'chart' },
        { to: '/operator/assets', label: (t) => t.market.nav.assets, icon: 'plant' },
        { to: '/operator/demands', label: (t) => t.market.nav.demands, icon: 'basket' },
        { to: '/operator/inquiries', label: (t) => t.market.nav.inquiries, icon: 'mail' },
      ],
    },
    {
      name: 'parties',
      items: [
        { to: '/operator/brps', label: (t) => t.operator.nav.brps, icon: 'building' },
        { to: '/operator/balance-groups', label: (t) => t.brp.groups.title, icon: 'layers' },
        { to: '/operator/customers', label: (t) => t.operator.nav.customers, icon: 'people' },
        { to: '/operator/accounts', label: (t) => t.operator.nav.accounts, icon: 'card' },
      ],
    },
    {
      name: 'administration',
      items: [
        { to: '/operator/users', label: (t) => t.operator.nav.users, icon: 'user' },
        { to: '/operator/keys', label: (t) => t.operator.nav.keys, icon: 'key' },
        { to: '/operator/webhooks', label: (t) => t.webhooks.title, icon: 'webhook' },
        { to: '/operator/requests', label: (t) => t.common.requests, icon: 'list' },
        { to: '/operator/audit', label: (t) => t.operator.nav.audit, icon: 'clock' },
      ],
    },
  ],
  account: [
    {
      name: null,
      items: [
        { to: '/', label: (t) => t.market.nav.home, icon: 'home' },
        { to: '/offers', label: (t) => t.market.nav.offers, icon: 'plant' },
        { to: '/demands', label: (t) => t.market.nav.demands, icon: 'basket' },
        { to: '/inquiries', label: (t) => t.market.nav.inquiries, icon: 'mail' },
        { to: '/users', label: (t) => t.operator.nav.users, icon: 'user', needs: 'admin' },
        { to: '/keys', label: (t) => t.market.nav.keys, icon: 'key' },
        { to: '/requests', label: (t) => t.common.requests, icon: 'list' },
      ],
    },
  ],
};
