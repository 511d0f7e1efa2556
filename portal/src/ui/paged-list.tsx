import type { ReactNode } from 'react';
import { type PagedRead, readNextPage } from '../session/lists.ts';
import { MoreButton } from './more.tsx';
import { Loaded, type ShownQuery } from './states.tsx';

type PagedQuery<Page> = ShownQuery<{ readonly pages: readonly Page[] }> & PagedRead;

type Props<Page, Entry> = {
  readonly query: PagedQuery<Page>;
  readonly recordsOf: (page: Page) => readonly Entry[];
  /** Shown if the list is empty. */
  readonly empty: ReactNode;
  /** The skeleton, if it is to be smaller than that of a page. */
  readonly loading?: ReactNode;
  readonly children: (records: readonly Entry[]) => ReactNode;
};

/** A list that is loaded page by page, with a button to load more. */
export function PagedList<Page, Entry>({ query, recordsOf, empty, loading, children }: Props<Page, Entry>) {
  return (
    <Loaded query={query} {...(loading !== undefined && { loading })}>
      {({ pages }) => {
        const records = pages.flatMap(recordsOf);
        if (records.length === 0) return empty;
        return (
          <>
            {children(records)}
            <MoreButton
              count={records.length}
              hasMore={query.hasNextPage}
              onMore={() => readNextPage(query)}
            />
          </>
        );
      }}
    </Loaded>
  );
}
