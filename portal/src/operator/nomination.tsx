import { getRouteApi } from '@tanstack/react-router';
import type { NominationSearch } from '../brp/filters.ts';
import { NominationById } from '../brp/nomination.tsx';

const route = getRouteApi('/app/operator/nominations/$nominationId');

/** A nomination of any BRP, as its BRP sees it. */
export function NominationPage() {
  const { nominationId } = route.useParams();
  const navigate = route.useNavigate();
  const set = (change: NominationSearch) =>
    void navigate({ search: (old) => ({ ...old, ...change }), replace: true, resetScroll: false });
  return <NominationById id={nominationId} search={route.useSearch()} set={set} />;
}
