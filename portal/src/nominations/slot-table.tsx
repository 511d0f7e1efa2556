import { slotTimes } from '@saldo/core/delivery-day.ts';
import { kwFromKwh } from '@saldo/core/energy.ts';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { Badge } from '../ui/badge.tsx';
import { cx } from '../ui/cx.ts';
import { Icon } from '../ui/icons.tsx';
import { TableScroll } from '../ui/table.tsx';
import { Segments } from '../ui/tabs.tsx';
import { useIsPrinting } from '../ui/use-is-printing.ts';
import { type Hour, hoursOf, isMismatch, type NominatedSlot, totalsOf } from './nominated-slots.ts';

type Props = { slots: readonly NominatedSlot[]; selected: number; onSelect: (slot: number) => void };

/** Columns hidden on a phone. */
const WIDE = 'max-sm:hidden';
const CELL = 'px-2 sm:px-3 py-1 text-right whitespace-nowrap first:pl-4 first:text-left last:pr-4';

/** The day by hours that expand to quarters, or by quarters only. Sums are exact. */
export function SlotTable({ slots, selected, onSelect }: Props) {
  const { t } = useI18n();
  const [rows, setRows] = useState<'hour' | 'quarter'>('hour');
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const isPrinting = useIsPrinting();
  const toggle = (label: string) => {
    const next = new Set(opened);
    if (!next.delete(label)) next.add(label);
    setOpened(next);
  };
  const hours = hoursOf(slots);
  const label = t.brp.nominations.table;
  return (
    <div>
      <div className="px-4 py-3 print:hidden">
        <Segments
          label={label}
          value={rows}
          onChange={setRows}
          tabs={[
            { value: 'hour', label: t.brp.nominations.byHour },
            { value: 'quarter', label: t.brp.nominations.byQuarter },
          ]}
        />
      </div>
      <TableScroll label={label}>
        <table className="w-full text-sm">
          <caption className="sr-only">{label}</caption>
          <Head />
          <tbody>
            {rows === 'quarter'
              ? slots.map((slot) => (
                  <SlotRow
                    key={slot.slot}
                    slot={slot}
                    isSelected={slot.slot === selected}
                    onSelect={onSelect}
                  />
                ))
              : hours.map((hour) => (
                  <HourRows
                    key={hour.label}
                    hour={hour}
                    isOpen={isPrinting || opened.has(hour.label)}
                    onToggle={() => toggle(hour.label)}
                    selected={selected}
                    onSelect={onSelect}
                  />
                ))}
          </tbody>
          <tfoot>
            <tr className="border-t border-line-strong font-semibold">
              <th scope="row" className={CELL}>
                {t.common.sum}
              </th>
              <td className={cx(CELL, WIDE)} />
              <Sums slots={slots} />
            </tr>
          </tfoot>
        </table>
      </TableScroll>
    </div>
  );
}

function Head() {
  const { t } = useI18n();
  const columns = [
    { name: `${t.common.local} (${t.common.berlin})` },
    { name: t.common.utc, className: WIDE },
    { name: `${t.brp.nominations.nominated} MWh` },
    { name: 'MW', className: WIDE },
    { name: `${t.brp.nominations.matched} MWh` },
    { name: `${t.brp.nominations.difference} MWh` },
  ];
  return (
    <thead>
      <tr className="border-b border-line text-xs text-muted">
        {columns.map(({ name, className }) => (
          <th key={name} scope="col" className={cx(CELL, className, 'font-medium')}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** The total of several quarters: energy is summed, the power of an hour is its mean. */
function Sums({ slots, isHour = false }: { slots: readonly NominatedSlot[]; isHour?: boolean }) {
  const { t, format } = useI18n();
  const { amountKwh, matchedKw, mismatches } = totalsOf(slots);
  return (
    <>
      <td className={CELL}>{format.mwh(amountKwh)}</td>
      {/* Four quarters are an hour: their energy in kWh equals the mean power in kW. */}
      <td className={cx(CELL, WIDE, 'text-muted')}>{isHour && format.mwh(amountKwh)}</td>
      <td className={cx(CELL, matchedKw === null && 'font-normal text-muted')}>
        {matchedKw === null ? t.common.notYet : format.slotMwh(matchedKw)}
      </td>
      <td className={cx(CELL, mismatches > 0 ? 'text-bad' : 'font-normal text-muted')}>
        {matchedKw === null ? '' : format.slotMwhSigned(kwFromKwh(amountKwh) - matchedKw)}
      </td>
    </>
  );
}

type HourProps = Pick<Props, 'selected' | 'onSelect'> & { hour: Hour; isOpen: boolean; onToggle: () => void };

function HourRows({ hour, isOpen, onToggle, selected, onSelect }: HourProps) {
  const { format } = useI18n();
  const first = hour.slots[0];
  const mismatches = hour.slots.filter(isMismatch).length;
  return (
    <>
      <tr className={cx('border-b border-line hover:bg-sunken/70', mismatches > 0 && 'bg-bad-soft/60')}>
        <th scope="row" className={cx(CELL, 'font-medium')}>
          <button
            type="button"
            aria-expanded={isOpen}
            onClick={onToggle}
            className="inline-flex items-center gap-1.5 rounded"
          >
            <Icon name={isOpen ? 'down' : 'right'} className="size-3.5 text-muted" />
            {hour.label}
          </button>
          {mismatches > 0 && (
            <span className="ml-2">
              <Badge tone="bad">{`≠ ${mismatches}`}</Badge>
            </span>
          )}
        </th>
        <td className={cx(CELL, WIDE, 'text-muted')}>{first && format.utcTime(first.start)}</td>
        <Sums slots={hour.slots} isHour />
      </tr>
      {isOpen &&
        hour.slots.map((slot) => (
          <SlotRow
            key={slot.slot}
            slot={slot}
            isSelected={slot.slot === selected}
            onSelect={onSelect}
            isNested
          />
        ))}
    </>
  );
}

type SlotRowProps = Pick<Props, 'onSelect'> & {
  slot: NominatedSlot;
  isSelected: boolean;
  isNested?: boolean;
};

function SlotRow({ slot, isSelected, onSelect, isNested = false }: SlotRowProps) {
  const { t, format } = useI18n();
  const isBad = isMismatch(slot);
  return (
    <tr
      className={cx(
        'border-b border-line hover:bg-sunken/70',
        isSelected ? 'bg-accent-soft' : isBad && 'bg-bad-soft/60',
      )}
    >
      <th scope="row" className={cx(CELL, 'font-normal')}>
        <button
          type="button"
          aria-pressed={isSelected}
          onClick={() => onSelect(slot.slot)}
          className={cx('inline-flex gap-2 rounded hover:underline', isNested && 'ml-5')}
        >
          {slotTimes(slot.start)}
          <span className="text-xs text-muted">{`#${slot.slot}`}</span>
        </button>
      </th>
      <td className={cx(CELL, WIDE, 'text-muted')}>{format.utcTime(slot.start)}</td>
      <td className={CELL}>{format.mwh(slot.amountKwh)}</td>
      <td className={cx(CELL, WIDE, 'text-muted')}>{format.mw(slot.amountKwh)}</td>
      <td className={cx(CELL, slot.matchedKw === null && 'text-muted')}>
        {slot.matchedKw === null ? t.common.notYet : format.slotMwh(slot.matchedKw)}
      </td>
      <td className={cx(CELL, isBad ? 'font-semibold text-bad' : 'text-muted')}>
        {slot.matchedKw !== null && format.slotMwhSigned(kwFromKwh(slot.amountKwh) - slot.matchedKw)}
      </td>
    </tr>
  );
}
