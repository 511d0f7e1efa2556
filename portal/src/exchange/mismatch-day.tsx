import type { NominationMismatch } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useRef } from 'react';
import { HeatLegend } from '../charts/heat-legend.tsx';
import { type Cell, HeatMap, type HeatRow } from '../charts/heat-map.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import { DirectionText } from '../references/badges.tsx';
import { GroupName, useGroupLabels } from '../references/group-name.tsx';
import { NominationLink } from '../references/links.tsx';
import { useGroupOwners } from '../references/lookups.ts';
import { Badge } from '../ui/badge.tsx';
import { buttonClass } from '../ui/button.tsx';
import { slotText } from '../ui/delivery-period.ts';
import { Fact, Panel } from '../ui/page.tsx';
import { type Column, DataTable, type Sort } from '../ui/table.tsx';
import type { MismatchSearch } from './filters.ts';
import { MISMATCH_TEXTS } from './mismatch-texts.ts';
import { differencesBySlot, type MismatchedSlot, mismatchedSlots } from './mismatched-slots.ts';

type Props = {
  day: DeliveryDay;
  mismatches: readonly NominationMismatch[];
  search: MismatchSearch;
  set: (change: MismatchSearch) => void;
};

/** A nomination that does not match, with its slots. */
type Position = { readonly mismatch: NominationMismatch; readonly slots: readonly MismatchedSlot[] };

/** Fits a name of `LABEL_LENGTH` characters or an EIC, a control area and an arrow. */
const LABEL_WIDTH = 214;
const LABEL_LENGTH = 16;
const shortened = (name: string) =>
  name.length > LABEL_LENGTH ? `${name.slice(0, LABEL_LENGTH - 1)}…` : name;

/** One day: balance groups by quarter-hour, both sides of the selected one, and everything as a table. */
export function MismatchDay({ day, mismatches, search, set }: Props) {
  const { t, format } = useI18n();
  const texts = MISMATCH_TEXTS[format.language];
  const navigate = useNavigate();
  const labelOf = useGroupLabels();
  const positions = useMemo(
    () => mismatches.map((mismatch): Position => ({ mismatch, slots: mismatchedSlots(mismatch) })),
    [mismatches],
  );
  const rows = useMemo(
    () =>
      positions.map(
        ({ mismatch: { nomination_id, eic, tso, direction }, slots }): HeatRow => ({
          id: nomination_id,
          label: `${shortened(labelOf(eic))} ${t.common.tsos[tso]} ${direction === 'out' ? '↗' : '↙'}`,
          values: differencesBySlot(day, slots),
        }),
      ),
    [positions, day, t, labelOf],
  );
  const selected = selectedCell(positions, search);
  const position = positions[selected.row];
  const describe = (cell: Cell): string => {
    const kw = rows[cell.row]?.values[cell.slot - 1];
    const mismatch = positions[cell.row]?.mismatch;
    return [
      ...(mismatch ? [`${labelOf(mismatch.eic)} · ${t.common.tsos[mismatch.tso]}`] : []),
      t.common.slotOf(cell.slot, slotText(day, cell.slot)),
      kw ? `${texts.difference} ${format.slotMwhSigned(kw)} MWh (${format.powerSigned(kw)} MW)` : texts.none,
    ].join(' · ');
  };
  const open = ({ row, slot }: Cell) => {
    const nominationId = positions[row]?.mismatch.nomination_id;
    if (nominationId === undefined) return;
    void navigate({
      to: '/operator/nominations/$nominationId',
      params: { nominationId },
      search: { slot },
    });
  };
  return (
    <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_21rem] xl:grid-rows-[auto_1fr]">
      <Panel
        title={texts.positions(format.day(day))}
        actions={
          <HeatLegend
            entries={[
              { label: texts.more, className: 'fill-out' },
              { label: texts.less, className: 'fill-in' },
              { label: texts.none, className: 'fill-sunken stroke-line-strong' },
            ]}
          />
        }
      >
        <HeatMap
          label={texts.positionsLabel(format.dayLong(day))}
          help={texts.positionsHelp}
          rows={rows}
          labelWidth={LABEL_WIDTH}
          day={day}
          selected={selected}
          onSelect={({ row, slot }) => set({ slot, nomination: positions[row]?.mismatch.nomination_id })}
          onOpen={open}
          describe={describe}
        />
      </Panel>
      {position && (
        <div className="xl:col-start-2 xl:row-span-2">
          <Sides
            day={day}
            position={position}
            slot={selected.slot}
            isLinked={search.nomination !== undefined}
          />
        </div>
      )}
      <Panel title={texts.list} isFlush>
        <MismatchTable
          positions={positions}
          selected={position?.mismatch.nomination_id}
          sort={{ value: search.sort, onChange: (sort) => set({ sort }) }}
        />
      </Panel>
    </div>
  );
}

/** The selection in the URL, else the first difference. */
function selectedCell(positions: readonly Position[], { nomination, slot }: MismatchSearch): Cell {
  const named = positions.findIndex(({ mismatch }) => mismatch.nomination_id === nomination);
  const bySlot = positions.findIndex(({ slots }) => slots.some((known) => known.slot === slot));
  const row = Math.max(0, named >= 0 ? named : bySlot);
  return { row, slot: slot ?? positions[row]?.slots[0]?.slot ?? 1 };
}

type SidesProps = {
  day: DeliveryDay;
  position: Position;
  slot: number;
  /** The page was opened by a link to this nomination. */
  isLinked: boolean;
};

/** The values of both sides for a quarter-hour. */
function Sides({ day, position: { mismatch, slots }, slot, isLinked }: SidesProps) {
  const { t, format } = useI18n();
  const texts = MISMATCH_TEXTS[format.language];
  const ownerOf = useGroupOwners();
  const found = slots.find((known) => known.slot === slot);
  const shown = useRef<HTMLDivElement>(null);
  const wasLinked = useRef(isLinked);
  useEffect(() => {
    if (wasLinked.current) shown.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  const amount = (kw: number | null) =>
    kw === null ? (
      <span className="text-muted">{texts.unknownAmount}</span>
    ) : (
      <>
        <span className="font-semibold">{`${format.slotMwh(kw)} MWh`}</span>
        <span className="ml-2 text-muted">{`${format.power(kw)} MW`}</span>
      </>
    );
  return (
    <Panel title={`${texts.selected} · ${t.common.slotOf(slot, slotText(day, slot))}`}>
      <div ref={shown} className="grid gap-4 text-sm" aria-live="polite">
        <div className="grid gap-1">
          <span className="flex flex-wrap items-center justify-between gap-2">
            <GroupName eic={mismatch.eic} />
            <DirectionText direction={mismatch.direction} />
          </span>
          <span className="flex flex-wrap justify-between gap-2 text-muted">
            <span>{ownerOf(mismatch.eic)}</span>
            <span>{t.common.tsos[mismatch.tso]}</span>
          </span>
        </div>
        {found ? (
          <dl className="grid gap-3">
            <Fact label={texts.ours}>{amount(found.amountKw)}</Fact>
            <Fact label={texts.tso}>{amount(found.matchedKw)}</Fact>
            <Fact label={texts.counterpart}>{amount(found.counterpartKw)}</Fact>
            <Fact label={texts.difference}>
              <span className="font-semibold text-bad">{`${format.slotMwhSigned(found.differenceKw)} MWh`}</span>
              <span className="ml-2 text-muted">{`${format.powerSigned(found.differenceKw)} MW`}</span>
            </Fact>
          </dl>
        ) : (
          <p className="text-muted">{texts.none}</p>
        )}
        <NominationLink id={mismatch.nomination_id} search={{ slot }} className={buttonClass()}>
          {texts.open}
        </NominationLink>
      </div>
    </Panel>
  );
}

type TableProps = { positions: readonly Position[]; selected: string | undefined; sort: Sort };

function MismatchTable({ positions, selected, sort }: TableProps) {
  const { t, format } = useI18n();
  const texts = MISMATCH_TEXTS[format.language];
  const ownerOf = useGroupOwners();
  const labelOf = useGroupLabels();
  const sum = (values: readonly number[]) => values.reduce((total, kw) => total + kw, 0);
  const total = ({ slots }: Position) => sum(slots.map(({ differenceKw }) => differenceKw));
  const columns: readonly Column<Position>[] = [
    {
      id: 'group',
      header: t.common.balanceGroup,
      sortBy: ({ mismatch }) => labelOf(mismatch.eic),
      footer: t.common.sum,
      cell: ({ mismatch, slots }) => (
        <span className="cell">
          <GroupName eic={mismatch.eic}>
            {(label) => (
              <NominationLink
                id={mismatch.nomination_id}
                search={slots[0] ? { slot: slots[0].slot } : {}}
                className="font-medium text-accent-strong hover:underline"
              >
                {label}
              </NominationLink>
            )}
          </GroupName>
          <span className="text-xs text-muted">{ownerOf(mismatch.eic)}</span>
          <span className="text-xs text-muted sm:hidden">{t.common.tsos[mismatch.tso]}</span>
        </span>
      ),
    },
    {
      id: 'tso',
      header: t.common.controlArea,
      from: 'sm',
      cell: ({ mismatch }) => t.common.tsos[mismatch.tso],
    },
    {
      id: 'direction',
      header: t.common.direction,
      from: 'sm',
      cell: ({ mismatch }) => <DirectionText direction={mismatch.direction} />,
    },
    {
      id: 'status',
      header: t.common.status,
      from: 'sm',
      cell: ({ mismatch: { status } }) => (
        <Badge tone={status === 'pending' ? 'warn' : 'bad'}>
          {status === 'pending' ? texts.undecided : t.brp.nominations.statuses[status]}
        </Badge>
      ),
    },
    {
      id: 'slots',
      header: texts.slots,
      isNumber: true,
      cell: ({ slots }) => format.number(slots.length),
      sortBy: ({ slots }) => slots.length,
      footer: format.number(positions.reduce((sum, { slots }) => sum + slots.length, 0)),
    },
    {
      id: 'difference',
      header: `${texts.difference} MWh`,
      isNumber: true,
      cell: (position) => format.slotMwhSigned(total(position)),
      sortBy: total,
      footer: format.slotMwhSigned(sum(positions.map(total))),
    },
  ];
  return (
    <DataTable
      label={texts.list}
      columns={columns}
      rows={positions}
      rowKey={({ mismatch }) => mismatch.nomination_id}
      sort={sort}
      rowTone={({ mismatch }) => (mismatch.nomination_id === selected ? 'selected' : null)}
    />
  );
}
