import type { Primary } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { type EventRow, rowsWithin, type StoredEvent, type Tenant } from './store.ts';

/**
 * A copy of the database that may lack events skips places up to a multiple of the first number (001-schema.sql). Its
 * numbers skip the second one, so that they rise beyond those of lost events.
 */
const [SKIPPED_PLACES, SKIPPED_NUMBERS] = [1_000_000_000, 1_000_000];

/** SQL for the number of the event at a place, for a reader of these feeds (`event_checkpoint` in 001-schema.sql). */
export const numberOf = (feeds: string, place: string): string =>
  `(select sum(count_events_up_to(feed, ${place}))::bigint from unnest(${feeds}) as feed)
   + ${place} / ${SKIPPED_PLACES} * ${SKIPPED_NUMBERS}`;

const skippedUpTo = (place: number): number => Math.floor(place / SKIPPED_PLACES) * SKIPPED_NUMBERS;

/** For each reader the number of its first event, and the rows of its feeds from there up to the last one. */
const READ_COUNTS = statement(
  'read_event_counts',
  `select ${numberOf('reader.feeds', 'asked.first')} as first, rows.sequences, rows.counts
   from unnest($1::text[], $2::bigint[], $3::bigint[]) with ordinality as asked (feeds, first, last, number)
   cross join lateral (select string_to_array(asked.feeds, ' ') as feeds) as reader
   cross join lateral (
     select array_agg(e.sequence order by e.sequence) as sequences, array_agg(e.count order by e.sequence) as counts
     from unnest(reader.feeds) as feed (tenant)
     cross join lateral (
       select e.sequence, e.count from event e
       where e.tenant = feed.tenant and ${rowsWithin('asked.first', 'asked.last')} offset 0) as e
   ) as rows
   order by asked.number`,
);
type CountRow = { first: number; sequences: number[]; counts: number[] };

/** The places of events that a reader of these feeds sees, in ascending order and at least one. */
export type NumberedPlaces = { readonly feeds: readonly Tenant[]; readonly places: readonly number[] };

/** The numbers of the events at these places, in their order. The places are not beyond the horizon. */
export async function readNumbers(db: Primary, asked: readonly NumberedPlaces[]): Promise<number[][]> {
  if (asked.length === 0) return [];
  const rows = await db.query<CountRow>(READ_COUNTS, [
    asked.map(({ feeds }) => feeds.join(' ')),
    asked.map(({ places }) => places[0]!),
    asked.map(({ places }) => places.at(-1)!),
  ]);
  return asked.map(({ places }, at) => countUp(places, rows[at]!));
}

function countUp(places: readonly number[], { first, sequences, counts }: CountRow): number[] {
  const [start = 0] = places;
  let row = 0;
  // The number of the last event before the row.
  let before = first - skippedUpTo(start) - (start - (sequences[0]! - counts[0]!));
  return places.map((place) => {
    for (; sequences[row]! < place; row++) before += counts[row]!;
    return before + place - (sequences[row]! - counts[row]!) + skippedUpTo(place);
  });
}

/** Numbers events of one reader, in any order. */
export async function numberEvents(
  db: Primary,
  feeds: readonly Tenant[],
  events: readonly StoredEvent[],
): Promise<EventRow[]> {
  if (events.length === 0) return [];
  const places = events.map(({ sequence }) => sequence).toSorted((one, other) => one - other);
  const [numbers = []] = await readNumbers(db, [{ feeds, places }]);
  const byPlace = new Map(places.map((place, at) => [place, numbers[at]!]));
  return events.map((event) => ({ ...event, number: byPlace.get(event.sequence)! }));
}
