/** Codes of ENTSO-E's lists that schedules and their answers use. */
export const CODES = {
  schedule: { type: 'A01', process: 'A17', classification: 'A01' },
  statusRequest: { type: 'A59', process: 'A17' },
  role: { operator: 'A08', tso: 'A04' },
  product: '8716867000016',
  aggregation: 'A01',
  unit: 'MAW',
  resolution: 'PT15M',
  curveType: 'A01',
} as const;

export const ACKNOWLEDGEMENT_CODES = {
  A01: 'accepted',
  A02: 'rejected',
  A03: 'errors_in_series',
} as const;

/** A09 is a finalised schedule. */
export const CONFIRMATION_TYPES = { A07: 'intermediate', A08: 'final', A09: 'final' } as const;

/** TSOs also send A85, A86 and A87, with the meanings of A06, A07 and A08. */
export const CONFIRMATION_CODES = {
  A06: 'accepted',
  A07: 'partial',
  A08: 'rejected',
  A85: 'accepted',
  A86: 'partial',
  A87: 'rejected',
} as const;

/** The code for a meaning. */
export function codeFor<Meaning extends string>(
  codes: Readonly<Record<string, Meaning>>,
  meaning: Meaning,
): string {
  const found = Object.entries(codes).find(([, known]) => known === meaning);
  if (!found) throw new Error(`there is no code for ${meaning}`);
  return found[0];
}

/** The meaning of a code, or null for an unknown one. */
export function meaningOf<Meaning extends string>(
  codes: Readonly<Record<string, Meaning>>,
  code: string,
): Meaning | null {
  return Object.hasOwn(codes, code) ? (codes[code] as Meaning) : null;
}
