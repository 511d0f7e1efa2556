import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { keysQuery } from '../operator/queries.ts';
import { Activity } from './activity.tsx';

const route = getRouteApi('/app/operator/activity');

export function ActivityPage() {
  const { data: keys } = useQuery(keysQuery({ owner_type: 'operator' }));
  return <Activity role="operator" keys={keys} search={route.useSearch()} navigate={route.useNavigate()} />;
}
