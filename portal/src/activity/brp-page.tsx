import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { keysQuery } from '../brp/queries.ts';
import { Activity } from './activity.tsx';

const route = getRouteApi('/app/brp/activity');

export function ActivityPage() {
  const { data: keys } = useQuery({ ...keysQuery, refetchInterval: false });
  return <Activity role="brp" keys={keys} search={route.useSearch()} navigate={route.useNavigate()} />;
}
