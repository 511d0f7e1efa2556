import { type Profile, profileVolumes } from '@saldo/core/contracts/profile.ts';
import { addDays, dayOf } from '@saldo/core/delivery-day.ts';
import { sourceOn } from '../contracts/source-store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { type ContractDay, DayBatch } from './day-batch.ts';
import { lockContracts, takesVolumes } from './volume-contracts.ts';

/** Contracts per transaction. Each contract contributes all of the coming days. */
const CONTRACTS_AT_ONCE = 20;

/**
 * Finds contracts that deliver on one of the coming days, with two active customers, but have no volumes for it. The
 * query takes no locks, so all conditions are checked again after the contract is locked.
 */
const WITHOUT_VOLUMES = statement(
  'profile_contracts_without_volumes',
  `select c.no, c.id, c.profile from contract c
   where c.no > $1 and c.type = 'ppa' and c.profile is not null and c.is_activated
     and exists (
       select from unnest($2::date[]) as coming (day)
       where coming.day::timestamp at time zone 'Europe/Berlin' >= c.delivery_start
         and (coming.day + 1)::timestamp at time zone 'Europe/Berlin' <= c.delivery_end
         and (c.rests_from is null or coming.day < c.rests_from)
         and not exists (
           select from sheet s where s.contract_no = c.no and s.delivery_day = coming.day))
   order by c.no
   limit $3`,
);

export type ProfileRun = { contracts: number; days: number; created: number };

/**
 * Creates the volumes of profile contracts for the coming days, from tomorrow on. A day that has volumes is skipped,
 * which makes the function idempotent.
 */
export async function runProfiles(db: Database, clock: Clock, days: number): Promise<ProfileRun> {
  const today = dayOf(clock.now());
  const coming = Array.from({ length: days }, (_, at) => addDays(today, at + 1));
  const run: ProfileRun = { contracts: 0, days: 0, created: 0 };
  for (let after = 0; ; ) {
    const found = await db.query<{ no: number; id: string; profile: Profile }>(WITHOUT_VOLUMES, [
      after,
      coming,
      CONTRACTS_AT_ONCE,
    ]);
    const last = found.at(-1);
    if (!last) return run;
    after = last.no;
    const made = await db.transaction(async (tx) => {
      const contracts = await lockContracts(tx, { ids: found.map(({ id }) => id), externalIds: [] });
      const wanted = contracts.flatMap((contract) =>
        coming
          .filter((day) => takesVolumes(contract, day) && sourceOn(contract.sources, day) === null)
          .map((day): ContractDay => ({ contract, day })),
      );
      const batch = new DayBatch(tx, clock.now());
      await batch.load(wanted);
      const profiles = new Map(found.map(({ no, profile }) => [no, profile]));
      const empty = wanted.filter((day) => !batch.hasVolumes(day));
      let created = 0;
      for (const day of empty) {
        const profile = profiles.get(day.contract.no);
        if (profile) created += batch.write(day, profileVolumes(profile, day.day)).created;
      }
      await batch.save();
      return {
        contracts: new Set(empty.map(({ contract }) => contract.no)).size,
        days: empty.length,
        created,
      };
    });
    run.contracts += made.contracts;
    run.days += made.days;
    run.created += made.created;
  }
}
