import type { Message, Nomination, NominationMismatch, Transaction } from '@saldo/api';
import { addDays, type DeliveryDay, dayOf, slotCount } from '@saldo/core/delivery-day.ts';
import { mwhNumber, sumKwh } from '@saldo/core/energy.ts';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { mismatchesQuery } from '../exchange/queries.ts';
import { slotsOf, totalsOf } from '../nominations/nominated-slots.ts';
import { allOf } from '../session/lists.ts';
import { operatorClient } from '../session/operator-client.ts';
import { serverNow } from '../session/server-clock.ts';
import { contractDayQuery } from '../transactions/queries.ts';
import { volumeSlots } from '../transactions/volume-slots.ts';
import { chooseContract, chooseHour, isOpen, reduced, type Story } from './plan.ts';

/** Per quarter-hour, on a day without volumes: the demo data have volumes of the days around the first start only. */
const FLAT_KWH = 5_000;

/** The demo data have no contract whose volumes can be typed. */
export class NoContractError extends Error {}

/** The next day whose schedules can be sent now. */
async function findDay(): Promise<DeliveryDay> {
  let day = dayOf(serverNow());
  do day = addDays(day, 1);
  while (!isOpen(await operatorClient.deliveryDays.get(day), serverNow()));
  return day;
}

const listTransactions = (contract_id: string, delivery_date: DeliveryDay) =>
  allOf(operatorClient.transactions.each({ contract_id, delivery_date }));

const volumesOf = (day: DeliveryDay, transactions: readonly Transaction[]) =>
  volumeSlots(day, transactions).map(({ validKwh }) => validKwh);

const validKwh = (day: DeliveryDay, transactions: readonly Transaction[]) =>
  sumKwh(volumesOf(day, transactions).map((kwh) => kwh ?? 0));

const putVolumes = (contractId: string, day: DeliveryDay, kwh: readonly (number | null)[]) =>
  operatorClient.contracts.putDay(contractId, day, {
    volumes: kwh.map((volume) => (volume === null ? null : mwhNumber(volume))),
  });

/** Chooses contract and day. A day without volumes gets some first, so that there is a nomination to change. */
export async function beginStory(): Promise<Story> {
  const day = await findDay();
  const contract = chooseContract(
    await allOf(operatorClient.contracts.each({ type: 'ppa', status: 'in_progress', active_on: day })),
  );
  if (!contract) throw new NoContractError();
  const { id: contractId, external_id: reference } = contract;
  let transactions = await listTransactions(contractId, day);
  if (chooseHour(volumesOf(day, transactions)) === null) {
    const flat = Array.from({ length: slotCount(day) }, () => FLAT_KWH);
    await putVolumes(contractId, day, flat);
    transactions = await listTransactions(contractId, day);
  }
  await operatorClient.nominations.run({ delivery_date: day });
  const [first] = transactions;
  const slot = chooseHour(volumesOf(day, transactions));
  if (!first || slot === null) throw new NoContractError();
  const { eic, tso } = first.sender;
  const nominations = await allOf(operatorClient.nominations.each({ eic, tso, delivery_date: day }));
  return {
    step: 0,
    contractId,
    reference,
    day,
    slot,
    eic,
    tso,
    before: {
      transactions: transactions.length,
      sumKwh: validKwh(day, transactions),
      nominations: nominations.length,
    },
  };
}

/** The steps that the visitor takes; the others show what follows from them. */
export type Action = 'change' | 'send' | 'cut';
type Order = { readonly action: Action; readonly story: Story; readonly schedule: Message | null };

/** Takes a step. Returns why the platform has not done it, in its own words. */
export async function takeStep({ action, story, schedule }: Order): Promise<string | null> {
  const { contractId, day, slot, tso, eic } = story;
  if (action === 'change') {
    const volumes = volumesOf(day, await listTransactions(contractId, day));
    await putVolumes(contractId, day, reduced(volumes, slot));
    return null;
  }
  if (action === 'send') {
    const { faults } = await operatorClient.exchange.send({ delivery_date: day, tso });
    return faults[0]?.error ?? null;
  }
  if (!schedule) return null;
  const { messages } = await operatorClient.exchange.simulateAnswer(schedule.id, { answer: 'mismatch', eic });
  return messages.find(({ state }) => state === 'ignored')?.error ?? null;
}

/** All versions of the nominations of the seller's balance group. */
const nominationsQuery = ({ eic, tso, day }: Story) =>
  queryOptions({
    queryKey: ['nominations', 'story', eic, tso, day],
    queryFn: ({ signal }) =>
      allOf(
        operatorClient.nominations.each({ eic, tso, delivery_date: day, include_slots: 'true' }, { signal }),
      ),
  });

/** The newest schedule of the day. */
const scheduleQuery = ({ tso, day }: Story) =>
  queryOptions({
    queryKey: ['messages', 'story', tso, day],
    queryFn: async ({ signal }) => {
      const newest = { direction: 'out', type: 'schedule', order: 'newest_first', limit: 1 } as const;
      const { messages } = await operatorClient.messages.list(
        { ...newest, tso, delivery_date: day },
        { signal },
      );
      return messages[0] ?? null;
    },
  });

const energyKwh = (nomination: Nomination): number => totalsOf(slotsOf(nomination)).amountKwh;

/** The version that the change of the volumes has caused. A change may concern both directions. */
function movedBy(
  changedAt: string,
  nominations: readonly Nomination[],
): { readonly to: Nomination; readonly differenceKwh: number } | null {
  const [to] = nominations
    .filter(({ status, created_at }) => status !== 'superseded' && created_at >= changedAt)
    .toSorted((one, other) => energyKwh(other) - energyKwh(one));
  if (!to) return null;
  const from = nominations.find(
    ({ direction, version }) => direction === to.direction && version === to.version - 1,
  );
  return { to, differenceKwh: energyKwh(to) - (from ? energyKwh(from) : 0) };
}

/** What the platform knows of the story. Null where it has not happened yet. */
export type Progress = {
  readonly changed: { readonly slots: number; readonly differenceKwh: number } | null;
  readonly moved: ReturnType<typeof movedBy>;
  readonly sent: Message | null;
  readonly cut: NominationMismatch | null;
};

/** The queries have the keys of the pages that show the same records, hence follow their changes. */
export function useProgress(story: Story) {
  const { contractId, day, tso, before } = story;
  const volumes = useQuery(contractDayQuery(contractId, day));
  const nominations = useQuery(nominationsQuery(story));
  const schedule = useQuery(scheduleQuery(story));
  const mismatches = useQuery(mismatchesQuery(day, tso));
  const slots = (volumes.data?.length ?? 0) - before.transactions;
  const changed =
    volumes.data && slots > 0 ? { slots, differenceKwh: validKwh(day, volumes.data) - before.sumKwh } : null;
  const changedAt = volumes.data
    ?.map(({ created_at }) => created_at)
    .toSorted()
    .at(-1);
  const isMoved = changed !== null && (nominations.data?.length ?? 0) > before.nominations;
  const moved = isMoved && changedAt ? movedBy(changedAt, nominations.data ?? []) : null;
  const sent = moved?.to.sent_at ? (schedule.data ?? null) : null;
  const cut =
    moved &&
    mismatches.data?.find((one) => one.nomination_id === moved.to.id && one.status === 'partial_match');
  const progress: Progress = { changed, moved, sent, cut: cut ?? null };
  const queries = [volumes, nominations, schedule, mismatches];
  return {
    progress,
    error: queries.find(({ error }) => error)?.error ?? null,
    retry: () => Promise.all(queries.map(({ refetch }) => refetch())),
  };
}
