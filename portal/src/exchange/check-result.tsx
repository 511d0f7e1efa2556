import type { Nomination, ScheduleCheck } from '@saldo/api';
import { SLOTS_PER_HOUR } from '@saldo/core/delivery-day.ts';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { differenceText } from '../charts/differences.ts';
import { SlotChart } from '../charts/slot-chart.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import { slotsOf } from '../nominations/nominated-slots.ts';
import { nominationQuery } from '../nominations/queries.ts';
import {
  type CheckedRow,
  type DifferentSlot,
  differentSlots,
  powersOfFile,
  rowsOf,
} from '../nominations/schedule-check.ts';
import { SCHEDULE_TEXTS } from '../nominations/schedule-texts.ts';
import { DirectionText } from '../references/badges.tsx';
import { GroupName, useGroupLabels } from '../references/group-name.tsx';
import { NominationLink } from '../references/links.tsx';
import { SlotButton } from '../references/slot-button.tsx';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Button, buttonClass } from '../ui/button.tsx';
import { Panel } from '../ui/page.tsx';
import { Loaded, SkeletonBlock } from '../ui/states.tsx';
import { type Column, DataTable } from '../ui/table.tsx';

type Compared = ScheduleCheck['compared'][number];

/** All series of a checked file, and one of them on a chart with the nominated values. */
export function CheckResult({ check }: { check: ScheduleCheck }) {
  const { format } = useI18n();
  const texts = SCHEDULE_TEXTS[format.language].check;
  const rows = useMemo(() => rowsOf(check), [check]);
  const firstShown =
    rows.find(({ state }) => state === 'different') ?? rows.find(({ state }) => state === 'equal');
  const [shownId, setShownId] = useState(firstShown?.id);
  const shown = check.compared.find(({ nomination_id }) => nomination_id === shownId);
  if (rows.length === 0) return null;
  return (
    <>
      <Panel title={texts.series} isFlush>
        <SeriesTable rows={rows} shownId={shownId} onShow={setShownId} />
      </Panel>
      {shown && <ComparedNomination key={shown.nomination_id} check={check} compared={shown} />}
    </>
  );
}

const TONES: Readonly<Record<CheckedRow['state'], Tone>> = {
  equal: 'ok',
  different: 'bad',
  missing: 'bad',
  unknown: 'bad',
  swapped: 'bad',
};

type TableProps = {
  rows: readonly CheckedRow[];
  shownId: string | undefined;
  onShow: (id: string) => void;
};

function SeriesTable({ rows, shownId, onShow }: TableProps) {
  const { t, format } = useI18n();
  const texts = SCHEDULE_TEXTS[format.language].check;
  const stateText = ({ state, differentSlots: count }: CheckedRow) =>
    state === 'different' ? texts.different(count) : texts[state];
  const columns: readonly Column<CheckedRow>[] = [
    {
      id: 'group',
      header: t.common.balanceGroup,
      cell: (row) => (
        <OfSeries row={row}>
          {({ eic }) => <SeriesName row={row} eic={eic} isShown={row.id === shownId} onShow={onShow} />}
        </OfSeries>
      ),
    },
    {
      id: 'tso',
      header: t.common.controlArea,
      from: 'sm',
      cell: (row) => <OfSeries row={row}>{({ tso }) => t.common.tsos[tso]}</OfSeries>,
    },
    {
      id: 'direction',
      header: t.common.direction,
      from: 'sm',
      cell: (row) => (
        <OfSeries row={row}>{({ direction }) => <DirectionText direction={direction} />}</OfSeries>
      ),
    },
    {
      id: 'state',
      header: texts.state,
      cell: (row) => <Badge tone={TONES[row.state]}>{stateText(row)}</Badge>,
    },
    {
      id: 'nomination',
      header: t.brp.nominations.one,
      from: 'md',
      cell: ({ nominationId }) =>
        nominationId && (
          <NominationLink id={nominationId} className="text-accent-strong underline">
            {texts.openNomination}
          </NominationLink>
        ),
    },
  ];
  return (
    <DataTable
      label={texts.series}
      columns={columns}
      rows={rows}
      rowKey={({ id, state }) => `${state} ${id}`}
      rowTone={({ id }) => (id === shownId ? 'selected' : null)}
    />
  );
}

type SeriesOfRow = NonNullable<CheckedRow['series']>;

/** A cell about the series of a row. That of a nomination that the file does not have is read by its id. */
function OfSeries({ row, children }: { row: CheckedRow; children: (series: SeriesOfRow) => ReactNode }) {
  const query = useQuery({ ...nominationQuery(row.id), enabled: row.series === null });
  const series = row.series ?? query.data;
  return series === undefined ? null : children(series);
}

type NameProps = { row: CheckedRow; eic: string; isShown: boolean; onShow: (id: string) => void };

/** A compared series can be chosen for the chart. */
function SeriesName({ row: { id, state }, eic, isShown, onShow }: NameProps) {
  if (state !== 'different' && state !== 'equal') return <GroupName eic={eic} />;
  return (
    <GroupName eic={eic}>
      {(label) => (
        <button
          type="button"
          aria-pressed={isShown}
          onClick={() => onShow(id)}
          className="rounded text-left font-medium text-accent-strong hover:underline"
        >
          {label}
        </button>
      )}
    </GroupName>
  );
}

function ComparedNomination({ check, compared }: { check: ScheduleCheck; compared: Compared }) {
  const query = useQuery(nominationQuery(compared.nomination_id));
  return (
    <Loaded query={query} loading={<SkeletonBlock className="h-80" />}>
      {(nomination) => <Comparison nomination={nomination} check={check} compared={compared} />}
    </Loaded>
  );
}

type ComparisonProps = { nomination: Nomination; check: ScheduleCheck; compared: Compared };

function Comparison({ nomination, check, compared }: ComparisonProps) {
  const { t, format } = useI18n();
  const texts = SCHEDULE_TEXTS[format.language].check;
  const labelOf = useGroupLabels();
  const slots = useMemo(() => slotsOf(nomination), [nomination]);
  const different = useMemo(() => differentSlots(check, compared), [check, compared]);
  const powersKw = useMemo(() => powersOfFile(slots, different), [slots, different]);
  const differencesKw = slots.map(
    ({ slot }) => different.find((one) => one.slot === slot)?.differenceKw ?? 0,
  );
  const [selected, setSelected] = useState(different[0]?.slot ?? 1);
  const next = different.find(({ slot }) => slot > selected) ?? different[0];
  const describe = (number: number): string => {
    const slot = slots[number - 1];
    if (!slot) return '';
    const found = different.find((one) => one.slot === number);
    return [
      t.common.slotOf(number, format.slot(slot.start)),
      `${texts.nominated} ${format.mw(slot.amountKwh)} MW`,
      `${texts.yours} ${format.power(powersKw[number - 1] ?? 0)} MW`,
      ...(found ? [`${texts.difference} ${format.powerSigned(found.differenceKw)} MW`] : []),
    ].join(' · ');
  };
  const { eic, direction, nomination_id: id } = compared;
  return (
    <>
      <Panel
        title={`${labelOf(eic)} · ${different.length === 0 ? texts.noSlots : differenceText(differencesKw, format)}`}
        actions={
          <>
            <NominationLink id={id} search={{ slot: selected }} className={buttonClass()}>
              {texts.openNomination}
            </NominationLink>
            {next && (
              <Button icon="right" onClick={() => setSelected(next.slot)}>
                {texts.next}
              </Button>
            )}
          </>
        }
      >
        <SlotChart
          label={texts.chart(labelOf(eic), format.dayLong(check.delivery_date))}
          starts={slots.map(({ start }) => start)}
          series={[
            {
              id: 'amount',
              label: texts.nominated,
              tone: direction,
              valuesKwh: slots.map(({ amountKwh }) => amountKwh),
            },
            {
              id: 'yours',
              label: texts.yours,
              tone: 'matched',
              isDashed: true,
              valuesKwh: powersKw.map((powerKw) => powerKw / SLOTS_PER_HOUR),
            },
          ]}
          marked={new Set(different.map(({ slot }) => slot))}
          markLabel={texts.differs}
          differencesKw={differencesKw}
          selected={selected}
          onSelect={setSelected}
          describe={describe}
        />
      </Panel>
      {different.length > 0 && (
        <Panel title={texts.slots} isFlush>
          <DifferenceTable slots={different} selected={selected} onSelect={setSelected} />
        </Panel>
      )}
    </>
  );
}

type DifferenceProps = {
  slots: readonly DifferentSlot[];
  selected: number;
  onSelect: (slot: number) => void;
};

function DifferenceTable({ slots, selected, onSelect }: DifferenceProps) {
  const { t, format } = useI18n();
  const texts = SCHEDULE_TEXTS[format.language].check;
  const columns: readonly Column<DifferentSlot>[] = [
    {
      id: 'slot',
      header: `${t.common.local} (${t.common.berlin})`,
      cell: ({ slot, start }) => <SlotButton slot={slot} start={start} onSelect={onSelect} />,
    },
    {
      id: 'nominated',
      header: `${texts.nominated} MW`,
      isNumber: true,
      from: 'sm',
      cell: ({ amountKw }) => format.power(amountKw),
    },
    {
      id: 'yours',
      header: `${texts.yours} MW`,
      isNumber: true,
      cell: ({ yoursKw }) => format.power(yoursKw),
    },
    {
      id: 'difference',
      header: `${texts.difference} MW`,
      isNumber: true,
      cell: ({ differenceKw }) => (
        <span className="font-semibold text-bad">{format.powerSigned(differenceKw)}</span>
      ),
    },
  ];
  return (
    <DataTable
      label={texts.slots}
      columns={columns}
      rows={slots}
      rowKey={({ slot }) => String(slot)}
      rowTone={({ slot }) => (slot === selected ? 'selected' : null)}
      isTall
    />
  );
}
