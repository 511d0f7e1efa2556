import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { SeriesSearch } from '../references/filters.ts';
import { seriesQuery } from './queries.ts';

type Props = {
  id: string;
  /** Looked up by id if the caller does not have it. */
  name?: string;
  search?: SeriesSearch;
};

/** A link to the page of a series. */
export function SeriesLink({ id, name, search = {} }: Props) {
  const { data } = useQuery({ ...seriesQuery(id), enabled: name === undefined });
  return (
    <Link
      to="/operator/series/$seriesId"
      params={{ seriesId: id }}
      search={search}
      className="font-medium text-accent-strong hover:underline"
    >
      {name ?? data?.record.name ?? id}
    </Link>
  );
}
