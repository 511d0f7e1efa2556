import type { ScheduleCheck } from '@saldo/api';
import { slotStart } from '@saldo/core/delivery-day.ts';
import { slotRanges } from '@saldo/core/slot-ranges.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { SCHEDULE_TEXTS } from '../nominations/schedule-texts.ts';
import { Badge } from '../ui/badge.tsx';
import { Panel } from '../ui/page.tsx';
import { type Column, DataTable } from '../ui/table.tsx';

type Finding = ScheduleCheck['rules'][number];

/** Everything for which the TSO would reject the file. */
export function CheckFindings({ check }: { check: ScheduleCheck }) {
  const { format } = useI18n();
  const texts = SCHEDULE_TEXTS[format.language].check;
  const time = (slot: number) => format.slot(slotStart(check.delivery_date, slot));
  const slotsText = (slots: readonly number[]) =>
    slotRanges(slots)
      .map(({ from, to }) =>
        from === to ? `${from} (${time(from)})` : `${from}–${to} (${time(from)}–${time(to)})`,
      )
      .join(', ');
  const columns: readonly Column<Finding>[] = [
    { id: 'code', header: texts.code, cell: ({ code }) => <Badge tone="bad">{code}</Badge> },
    {
      id: 'series',
      header: texts.findingSeries,
      from: 'md',
      cell: ({ series }) => <span className="break-all">{series ?? texts.wholeFile}</span>,
    },
    {
      id: 'slots',
      header: texts.findingSlots,
      from: 'md',
      cell: ({ slots }) => (slots.length === 0 ? '–' : slotsText(slots)),
    },
    {
      id: 'text',
      header: texts.findingText,
      cell: ({ series, slots, text }) => (
        <div className="grid gap-1 whitespace-normal">
          <span>{text}</span>
          <span className="text-xs break-all text-muted md:hidden">
            {[series ?? texts.wholeFile, ...(slots.length > 0 ? [slotsText(slots)] : [])].join(' · ')}
          </span>
        </div>
      ),
    },
  ];
  return (
    <Panel title={texts.findings} isFlush>
      <DataTable
        label={texts.findings}
        columns={columns}
        rows={check.rules}
        rowKey={({ code, series, text }) => `${code} ${series} ${text}`}
      />
    </Panel>
  );
}
