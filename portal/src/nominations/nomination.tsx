import type { Nomination } from '@saldo/api';
import { dayOf, SLOTS_PER_HOUR } from '@saldo/core/delivery-day.ts';
import { kwFromExactMwh, kwFromKwh } from '@saldo/core/energy.ts';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { ClockChangeNotice } from '../calendar/clock-change.tsx';
import { differenceText } from '../charts/differences.ts';
import { SlotChart } from '../charts/slot-chart.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import { DirectionText, NominationBadges } from '../references/badges.tsx';
import { type NominationSearch, readNominationSearch } from '../references/filters.ts';
import { GroupHeading, useGroupLabels, useWithGroupNames } from '../references/group-name.tsx';
import { NominationLink, NominationsLink } from '../references/links.tsx';
import { serverNow } from '../session/server-clock.ts';
import { useChoices } from '../ui/address.ts';
import { Badge } from '../ui/badge.tsx';
import { Button, buttonClass } from '../ui/button.tsx';
import { Code } from '../ui/copy.tsx';
import { ExportButton } from '../ui/export.tsx';
import { Fact, Facts, Page, Panel } from '../ui/page.tsx';
import { Loaded, Notice, Skeleton } from '../ui/states.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { Countdown, Instant } from '../ui/time.tsx';
import { DaySteps } from './day-steps.tsx';
import { Evidence } from './evidence.tsx';
import { EVIDENCE_TEXTS } from './evidence-texts.ts';
import { NOMINATION_COLUMNS } from './exports.ts';
import {
  differenceKw,
  type ExactAmounts,
  findDay,
  isMismatch,
  type NominatedSlot,
  slotsOf,
  totalsOf,
} from './nominated-slots.ts';
import { OwnSidePanel } from './own-side.tsx';
import { OWN_TEXTS } from './own-texts.ts';
import { nominationHistoryQuery, nominationQuery } from './queries.ts';
import { ReconciliationPanel } from './reconciliation-panel.tsx';
import { isRejected } from './rejections.ts';
import { ScheduleButtons } from './schedule-buttons.tsx';
import { SCHEDULE_TEXTS } from './schedule-texts.ts';
import { SlotInspector } from './slot-inspector.tsx';
import { SlotTable } from './slot-table.tsx';
import { useExactAmounts, useReconciliation } from './use-reconciliation.ts';
import { VersionHistory } from './version-history.tsx';

/** One version of a nomination: its quarter-hours, their transactions, and the version history. */
export function NominationPage() {
  const { nominationId = '' } = useParams({ strict: false });
  const query = useWithGroupNames(useQuery(nominationQuery(nominationId)));
  // The notice about a newer version is above everything else.
  const { isPending } = useQuery(nominationHistoryQuery(nominationId));
  return (
    <Loaded query={isPending ? { ...query, data: undefined } : query} loading={<Skeleton lines={14} />}>
      {(nomination) => <NominationView nomination={nomination} />}
    </Loaded>
  );
}

function NominationView({ nomination }: { nomination: Nomination }) {
  const { t, format } = useI18n();
  const { search, set } = useChoices(readNominationSearch);
  const labelOf = useGroupLabels();
  const exact = useExactAmounts(nomination);
  const { data: reconciliation } = useReconciliation(nomination).query;
  const hasRejection = reconciliation !== undefined && isRejected(reconciliation);
  const slots = useMemo(() => slotsOf(nomination, exact), [nomination, exact]);
  const day = findDay(nomination) ?? '';
  const { slot: chosen, view } = search;
  const selected = slots.find(({ slot }) => slot === chosen) ?? firstInteresting(slots);
  const select = (slot: number) => set({ slot });
  return (
    <Page
      title={`${labelOf(nomination.eic)} · ${format.day(day)}`}
      trail={
        <NominationsLink search={{ day }} className="hover:underline">
          {`${t.brp.nominations.title} · ${format.day(day)}`}
        </NominationsLink>
      }
      heading={
        <>
          <GroupHeading eic={nomination.eic} />
          <span>{t.common.tsos[nomination.tso]}</span>
        </>
      }
      badges={
        <>
          <DirectionText direction={nomination.direction} />
          <NominationBadges
            nomination={nomination}
            isRejected={hasRejection && nomination.status === 'pending'}
          />
          <Badge>{t.brp.nominations.versionNumber(nomination.version)}</Badge>
        </>
      }
      actions={
        <>
          <DaySteps nomination={nomination} day={day} search={search} />
          <ScheduleButtons nomination={nomination} day={day} />
          <ExportButton
            fileName={`nomination-${nomination.eic}-${nomination.tso}-${day}-v${nomination.version}`}
            columns={NOMINATION_COLUMNS}
            rows={async function* lines() {
              for (const slot of slots) yield { nomination, slot };
            }}
          />
        </>
      }
    >
      <NewerVersion nomination={nomination} search={search} />
      <OwnSidePanel nomination={nomination} day={day} />
      <ClockChangeNotice day={day} />
      <NominationFacts nomination={nomination} slots={slots} />
      {selected && (
        <div className="grid gap-4 xl:grid-cols-[minmax(0,1fr)_23rem]">
          <NominationChart
            nomination={nomination}
            slots={slots}
            exact={exact}
            hasRejection={hasRejection}
            selected={selected}
            onSelect={select}
          />
          {/* On a wide screen as high as the chart: the page does not move when another slot is selected. */}
          <div className="xl:relative">
            <div className="xl:absolute xl:inset-x-0 xl:top-0 xl:max-h-full xl:overflow-y-auto xl:rounded-lg xl:border-b xl:border-line xl:[&>section]:border-b-0">
              <SlotInspector nomination={nomination} day={day} slot={selected} />
            </div>
          </div>
        </div>
      )}
      <ReconciliationPanel nomination={nomination} onSelect={select} />
      <Panel isFlush>
        <Tabs
          label={t.brp.nominations.one}
          value={view ?? 'table'}
          onChange={(next) => set({ view: next === 'table' ? undefined : next })}
          tabs={[
            { value: 'table', label: t.brp.nominations.table },
            { value: 'history', label: t.brp.nominations.history },
            { value: 'evidence', label: EVIDENCE_TEXTS[format.language].tab },
          ]}
        >
          {view === 'history' && <VersionHistory nomination={nomination} onSelect={select} />}
          {view === 'evidence' && <Evidence nomination={nomination} onSelect={select} />}
          {view === undefined && <SlotTable slots={slots} selected={selected?.slot ?? 1} onSelect={select} />}
        </Tabs>
      </Panel>
    </Page>
  );
}

/** The initial slot: the first mismatch, else the slot being delivered now, else the first. */
function firstInteresting(slots: readonly NominatedSlot[]): NominatedSlot | undefined {
  const now = serverNow();
  const first = slots[0];
  const isToday = first !== undefined && dayOf(first.start) === dayOf(now);
  return slots.find(isMismatch) ?? (isToday ? slots.findLast(({ start }) => start <= now) : first);
}

function NewerVersion({ nomination, search }: { nomination: Nomination; search: NominationSearch }) {
  const { t } = useI18n();
  const { data: versions } = useQuery(nominationHistoryQuery(nomination.id));
  const newest = versions?.[0];
  if (!newest || newest.id === nomination.id) return null;
  return (
    <Notice tone="warn">
      {t.brp.nominations.outdated(newest.version)}
      <NominationLink id={newest.id} search={search} className={buttonClass()}>
        {t.brp.nominations.toNewest}
      </NominationLink>
    </Notice>
  );
}

type ViewProps = { nomination: Nomination; slots: readonly NominatedSlot[] };

function NominationFacts({ nomination, slots }: ViewProps) {
  const { t, format } = useI18n();
  const totals = totalsOf(slots);
  const { gate_closure, sent_at, confirmed_at, counterparty } = nomination;
  return (
    <Panel>
      <Facts>
        <Fact label={t.brp.nominations.nominated}>
          <span className="text-base font-semibold">{`${format.mwh(totals.amountKwh)} MWh`}</span>
        </Fact>
        <Fact label={t.brp.nominations.matched}>
          <span className="text-base font-semibold">
            {totals.matchedKw === null
              ? t.brp.nominations.notMatched
              : `${format.slotMwh(totals.matchedKw)} MWh`}
          </span>
        </Fact>
        {gate_closure && (
          <Fact label={t.brp.nominations.gateClosure}>
            <Instant at={gate_closure} withUtc />
            <span className="block text-xs text-muted">
              <Countdown until={Date.parse(gate_closure)} done={t.brp.nominations.gatePassed} />
            </span>
          </Fact>
        )}
        <Fact label={t.brp.nominations.sentAt}>
          {sent_at ? <Instant at={sent_at} withUtc /> : t.common.notYet}
        </Fact>
        <Fact label={t.brp.nominations.confirmedAt}>
          {confirmed_at ? <Instant at={confirmed_at} withUtc /> : t.common.notYet}
        </Fact>
        <Fact label={t.brp.nominations.createdAt}>
          <Instant at={nomination.created_at} withUtc />
        </Fact>
        <Fact label={t.brp.nominations.counterparty}>
          {counterparty.name}
          <span className="block">
            <Code text={counterparty.eic} />
          </span>
        </Fact>
        <Fact label={t.common.id}>
          <Code text={nomination.id} />
        </Fact>
      </Facts>
    </Panel>
  );
}

/** The version before, if there is one: a dashed line in the chart. */
function useVersionBefore({ id, version }: Nomination): Nomination | null {
  const { data: versions } = useQuery({ ...nominationHistoryQuery(id), enabled: version > 1 });
  return versions?.find((one) => one.version === version - 1) ?? null;
}

type ChartProps = ViewProps & {
  /** The confirmed amounts, with those of the BRP's own schedule where the TSO reports them. */
  exact: ExactAmounts | undefined;
  hasRejection: boolean;
  selected: NominatedSlot;
  onSelect: (slot: number) => void;
};

/** The amounts of the BRP's own schedule in kWh; null where the TSO does not report them. */
function ownAmountsKwh(slots: readonly NominatedSlot[], exact: ExactAmounts | undefined): (number | null)[] {
  const bySlot = new Map(exact?.slots.map((slot) => [slot.slot_number, slot.counterpart_amount]));
  return slots.map(({ slot }) => {
    const own = bySlot.get(slot) ?? null;
    return own === null ? null : kwFromExactMwh(own) / SLOTS_PER_HOUR;
  });
}

function NominationChart(props: ChartProps) {
  const { nomination, slots, exact, hasRejection, selected, onSelect } = props;
  const { t, format } = useI18n();
  const labelOf = useGroupLabels();
  const starts = useMemo(() => slots.map(({ start }) => start), [slots]);
  const mismatches = slots.filter(isMismatch).map(({ slot }) => slot);
  const differencesKw = slots.map(differenceKw);
  const ownKwh = ownAmountsKwh(slots, exact);
  const isMatched = slots.some(({ matchedKw }) => matchedKw !== null);
  const before = useVersionBefore(nomination);
  // One dashed line beside the confirmed one: the own schedule where it is known, else the version before.
  const reference = ownKwh.some((kwh) => kwh !== null)
    ? {
        id: 'own',
        label: SCHEDULE_TEXTS[format.language].reconciliation.ownSchedule,
        tone: 'before' as const,
        isDashed: true,
        valuesKwh: ownKwh,
      }
    : before && {
        id: 'before',
        label: OWN_TEXTS[format.language].before(before.version),
        tone: 'before' as const,
        isDashed: true,
        valuesKwh: slotsOf(before).map(({ amountKwh }) => amountKwh),
      };
  const describe = (number: number): string => {
    const slot = slots[number - 1];
    if (!slot) return '';
    const amount = (kw: number) => `${format.slotMwh(kw)} MWh (${format.power(kw)} MW)`;
    const matched =
      slot.matchedKw === null
        ? t.brp.nominations.notMatched
        : `${t.brp.nominations.matched} ${amount(slot.matchedKw)}`;
    const parts = [
      t.common.slotOf(slot.slot, format.slot(slot.start)),
      `${t.brp.nominations.nominated} ${amount(kwFromKwh(slot.amountKwh))}`,
      matched,
      ...(isMismatch(slot) ? [t.brp.nominations.mismatch] : []),
    ];
    return parts.join(' · ');
  };
  const next = mismatches.find((slot) => slot > selected.slot) ?? mismatches[0];
  const unmatched = hasRejection ? t.brp.nominations.rejectedSchedule : t.brp.nominations.noneMatched;
  const state = isMatched ? t.brp.nominations.allMatch : unmatched;
  return (
    <Panel
      title={mismatches.length > 0 ? differenceText(differencesKw, format) : state}
      actions={
        next !== undefined && (
          <Button icon="right" onClick={() => onSelect(next)}>
            {t.brp.nominations.nextMismatch}
          </Button>
        )
      }
    >
      <SlotChart
        label={t.brp.nominations.chartLabel(
          labelOf(nomination.eic),
          format.dayLong(findDay(nomination) ?? ''),
        )}
        starts={starts}
        series={[
          {
            id: 'amount',
            label: t.brp.nominations.nominated,
            tone: nomination.direction,
            valuesKwh: slots.map(({ amountKwh }) => amountKwh),
          },
          {
            id: 'matched',
            label: isMatched ? t.brp.nominations.matched : t.brp.nominations.notMatched,
            tone: 'matched',
            isDashed: true,
            valuesKwh: slots.map(({ matchedKw }) => matchedKw && matchedKw / SLOTS_PER_HOUR),
          },
          ...(reference === null ? [] : [reference]),
        ]}
        marked={new Set(mismatches)}
        differencesKw={differencesKw}
        markLabel={t.brp.nominations.mismatch}
        selected={selected.slot}
        onSelect={onSelect}
        describe={describe}
      />
    </Panel>
  );
}
