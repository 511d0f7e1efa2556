import type { Dictionary } from '../dictionary.ts';

export const activity: Dictionary['activity'] = {
  title: 'Aktivität',
  notifications: {
    gate: (minutes) => `Eine Frist endet in ${minutes} Minuten`,
    mismatch: 'Neue Abweichung',
  },
  members: {
    name: 'Name',
    status: 'Status',
    metadata: 'Metadaten',
    balance_group: 'Bilanzkreis',
    brp_id: 'BKV',
    activated_at: 'Aktivierung',
    assigned_at: 'Zuordnung',
    delivery_start: 'Lieferbeginn',
    delivery_end: 'Lieferende',
    enabled_tsos: 'Regelzonen',
    tsos: 'Regelzonen',
    seller: 'Verkäufer',
    buyer: 'Käufer',
    profile: 'Profil',
    asset_id: 'Anlage',
    source: 'Quelle',
    market_location: 'Marktlokation',
  },
};
