import type { Explanation, Nomination } from '@saldo/api';
import { type DeliveryDay, SLOT_MS, slotTimes } from '@saldo/core/delivery-day.ts';
import { kwFromKwh, kwhFromMwh, sumKwh } from '@saldo/core/energy.ts';
import type { SeriesKind } from '@saldo/core/enums.ts';
import { useQuery } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { DirectionArrow } from '../references/badges.tsx';
import { ContractLink } from '../references/links.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { cx } from '../ui/cx.ts';
import { Panel } from '../ui/page.tsx';
import { Loaded } from '../ui/states.tsx';
import type { NominatedSlot } from './nominated-slots.ts';
import { contractsOfGroupQuery, explanationQuery } from './queries.ts';

type Props = { nomination: Nomination; day: DeliveryDay; slot: NominatedSlot };

/** Details of the selected quarter-hour: its values, and the transactions that they come from. */
export function SlotInspector({ nomination, day, slot }: Props) {
  const { t, format } = useI18n();
  const explanation = useQuery(explanationQuery(nomination.id));
  return (
    <Panel
      title={t.common.slotOf(slot.slot, slotTimes(slot.start))}
      text={`${format.utcTime(slot.start)}–${format.utcTime(slot.start + SLOT_MS)} ${t.common.utc}`}
    >
      <div className="grid gap-4">
        <Values slot={slot} />
        <h3 className="text-sm font-semibold">{t.brp.nominations.explanation}</h3>
        <Loaded query={explanation}>
          {({ slots }) => {
            const explained = slots.find(({ slot_number }) => slot_number === slot.slot);
            return (
              <SlotTransactions
                nomination={nomination}
                day={day}
                transactions={explained?.transactions ?? []}
                slot={slot}
              />
            );
          }}
        </Loaded>
      </div>
    </Panel>
  );
}

function Values({ slot }: { slot: NominatedSlot }) {
  const { t, format } = useI18n();
  const { amountKwh, matchedKw } = slot;
  const differenceKw = matchedKw === null ? null : kwFromKwh(amountKwh) - matchedKw;
  const line = (label: string, mwh: string, mw: string, isBad = false) => (
    <tr className={cx(isBad && 'font-semibold text-bad')}>
      <th scope="row" className="py-0.5 text-left font-normal">
        {label}
      </th>
      <td className="text-right">{mwh}</td>
      <td className="text-right">{mw}</td>
    </tr>
  );
  return (
    <table className="w-full text-sm">
      <thead className="text-xs text-muted">
        <tr>
          <td />
          <th scope="col" className="text-right font-medium">
            MWh
          </th>
          <th scope="col" className="text-right font-medium">
            MW
          </th>
        </tr>
      </thead>
      <tbody>
        {line(t.brp.nominations.nominated, format.mwh(amountKwh), format.mw(amountKwh))}
        {matchedKw === null
          ? line(t.brp.nominations.matched, t.common.notYet, '')
          : line(t.brp.nominations.matched, format.slotMwh(matchedKw), format.power(matchedKw))}
        {differenceKw !== null &&
          differenceKw !== 0 &&
          line(
            t.brp.nominations.difference,
            format.slotMwhSigned(differenceKw),
            format.powerSigned(differenceKw),
            true,
          )}
      </tbody>
    </table>
  );
}

/** Only the operator's explanation has the source. */
type Part = Explanation['slots'][number]['transactions'][number] & { readonly source?: SeriesKind | null };

function SlotTransactions({
  nomination,
  day,
  transactions,
  slot,
}: Props & { transactions: readonly Part[] }) {
  const { t, format } = useI18n();
  const { data: contracts } = useQuery(contractsOfGroupQuery(nomination.eic, day));
  if (transactions.length === 0)
    return <p className="text-sm text-muted">{t.brp.nominations.explanationEmpty}</p>;
  const signed = ({ role, volume }: Part) => (role === 'sender' ? kwhFromMwh(volume) : -kwhFromMwh(volume));
  const saldoKwh = sumKwh(transactions.map(signed));
  return (
    <div className="grid gap-2">
      <ul className="grid gap-1 max-xl:max-h-96 max-xl:overflow-y-auto">
        {transactions.map((part) => {
          const contract = contracts?.get(part.contract_id);
          const partner = part.role === 'sender' ? contract?.buyer : contract?.seller;
          return (
            <li
              key={part.id}
              className="flex items-start justify-between gap-3 rounded bg-sunken px-2.5 py-1.5 text-sm"
            >
              <div className="min-w-0">
                <span className="flex items-center gap-1">
                  <ContractLink
                    id={part.contract_id}
                    search={{ day, slot: slot.slot }}
                    className="truncate font-medium text-accent-strong hover:underline"
                  >
                    {contract?.external_id ?? part.contract_id}
                  </ContractLink>
                  <CopyButton text={part.id} what={t.brp.nominations.transaction} />
                </span>
                <span className="block truncate text-xs text-muted">
                  {[partner?.name, part.source && t.common.origins[part.source]].filter(Boolean).join(' · ')}
                </span>
              </div>
              <div className="text-right">
                <span className="whitespace-nowrap">{`${format.mwhSigned(signed(part))} MWh`}</span>
                <span className="block">
                  <span className="text-xs text-muted">
                    <DirectionArrow direction={part.role === 'sender' ? 'out' : 'in'} />
                    {t.brp.nominations.roles[part.role]}
                  </span>
                </span>
              </div>
            </li>
          );
        })}
      </ul>
      <p className="flex justify-between border-t border-line-strong pt-1.5 text-sm font-semibold">
        <span>{t.brp.nominations.saldo}</span>
        <span>{`${format.mwhSigned(saldoKwh)} MWh`}</span>
      </p>
      {slot.amountKwh === 0 && saldoKwh !== 0 && (
        <p className="text-xs text-muted">{t.brp.nominations.otherDirection}</p>
      )}
    </div>
  );
}
