import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Format } from '../i18n/format.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { MoreButton } from '../ui/more.tsx';
import { Panel } from '../ui/page.tsx';
import { EmptyState, Loaded, Notice, SkeletonBlock } from '../ui/states.tsx';
import type { Listed } from './queries.ts';
import { MARKET_TEXTS } from './texts.ts';

/** Cards shown initially, and added with each "more" click. */
const STEP = 24;

export const CARDS = 'grid grid-cols-[repeat(auto-fill,minmax(min(17rem,100%),1fr))] gap-4';

type Props<T> = {
  texts: Readonly<Record<'title' | 'empty' | 'emptyText' | 'emptyFiltered', string>>;
  isFiltered: boolean;
  isMatch: (record: T) => boolean;
  sort?: (records: readonly T[]) => readonly T[];
  children: (record: T) => ReactNode;
};

/** The matching records as cards. Set `key` to the filters, so that a change resets the number of cards shown. */
export function CardList<T>({ query, ...rest }: Props<T> & { query: UseQueryResult<Listed<T>> }) {
  return (
    <Loaded query={query} loading={<CardSkeletons />}>
      {(list) => <Cards list={list} {...rest} />}
    </Loaded>
  );
}

export function CardSkeletons() {
  return (
    <div className={CARDS}>
      {[1, 2, 3, 4].map((card) => (
        <SkeletonBlock key={card} className="h-64" />
      ))}
    </div>
  );
}

/** Renders one batch of cards at a time. */
function Cards<T>({ texts, list, isFiltered, isMatch, sort, children }: Props<T> & { list: Listed<T> }) {
  const { format } = useI18n();
  const [shown, setShown] = useState(STEP);
  const found = list.records.filter(isMatch);
  const matches = sort?.(found) ?? found;
  return (
    <>
      {/* Completes the heading levels for screen readers: the page's is above, those of the cards are below. */}
      <h2 className="sr-only">{texts.title}</h2>
      <OnlyNewest list={list} />
      {matches.length === 0 ? (
        <Panel>
          <EmptyState title={texts.empty} text={isFiltered ? texts.emptyFiltered : texts.emptyText} />
        </Panel>
      ) : (
        <>
          <div className={CARDS}>{matches.slice(0, shown).map(children)}</div>
          <MoreButton
            count={Math.min(shown, matches.length)}
            hasMore={shown < matches.length}
            shownOf={MARKET_TEXTS[format.language].shownOf(
              format.number(shown),
              format.number(matches.length),
            )}
            onMore={() => setShown(shown + STEP)}
          />
        </>
      )}
    </>
  );
}

/** A notice if the list is longer than its loaded part. */
export function OnlyNewest({ list: { records, total } }: { list: Listed<unknown> }) {
  const { format } = useI18n();
  if (records.length === total) return null;
  return (
    <Notice tone="warn">
      {MARKET_TEXTS[format.language].onlyNewest(format.number(records.length), format.number(total))}
    </Notice>
  );
}

/** The countries that occur in the records, sorted by name. */
export function countryOptions(records: readonly { readonly country: string }[], format: Format) {
  const codes = new Set(records.map(({ country }) => country));
  return Array.from(codes, (value) => ({ value, label: format.country(value) })).toSorted((a, b) =>
    a.label.localeCompare(b.label, format.locale),
  );
}
