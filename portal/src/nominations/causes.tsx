import type { Nomination, NominationCauses } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { kwhFromMwh } from '@saldo/core/energy.ts';
import { useQuery } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { ContractLink } from '../references/links.tsx';
import { Instant } from '../ui/time.tsx';
import { OWN_TEXTS } from './own-texts.ts';
import { contractsOfGroupQuery } from './queries.ts';

type Cause = NominationCauses['causes'][number];
type Props = Pick<Nomination, 'eic'> & { causes: readonly Cause[]; day: DeliveryDay; max: number };

/** Why a nomination has changed: kind, contract, size, time and person, the largest first. */
export function CauseList({ causes, eic, day, max }: Props) {
  const { format } = useI18n();
  const texts = OWN_TEXTS[format.language];
  const { data: contracts } = useQuery(contractsOfGroupQuery(eic, day));
  if (causes.length === 0) return <p className="text-sm text-muted">{texts.noCauses}</p>;
  return (
    <ul aria-label={texts.causes} className="grid gap-1 text-sm">
      {causes.slice(0, max).map((cause) => (
        <li key={`${cause.kind} ${cause.contract_id}`} className="flex flex-wrap gap-x-2">
          <span className="font-medium">{texts.kinds[cause.kind]}</span>
          {cause.contract_id && (
            <ContractLink
              id={cause.contract_id}
              search={{ day }}
              className="min-w-0 text-accent-strong wrap-anywhere hover:underline"
            >
              {contracts?.get(cause.contract_id)?.external_id ?? cause.contract_id}
            </ContractLink>
          )}
          <CauseSize cause={cause} />
          {cause.at && (
            <span className="text-muted">
              <Instant at={cause.at} />
            </span>
          )}
          {cause.actor_name && (
            <span className="min-w-0 text-muted wrap-anywhere">{texts.by(cause.actor_name)}</span>
          )}
        </li>
      ))}
      {causes.length > max && <li className="text-muted">{texts.more(causes.length - max)}</li>}
    </ul>
  );
}

/** How much of a nomination has changed. */
export function CauseSize({ cause }: { cause: Pick<Cause, 'slots_changed' | 'difference'> }) {
  const { format } = useI18n();
  const texts = OWN_TEXTS[format.language];
  return (
    <span className="tabular-nums">
      {[
        texts.slots(cause.slots_changed),
        texts.difference(format.mwhSigned(kwhFromMwh(cause.difference))),
      ].join(' · ')}
    </span>
  );
}
