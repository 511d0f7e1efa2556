import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { keysQuery } from '../operator/queries.ts';
import { Activity } from './activity.tsx';
import { NamesContext } from './names.ts';

const route = getRouteApi('/app/operator/activity');

export function ActivityPage() {
  const { data: keys } = useQuery(keysQuery({ owner_type: 'operator' }));
  const names = {
    ofKey: (id: string) => keys?.find((key) => key.id === id)?.name,
  };
  return (
    <NamesContext value={names}>
      <Activity role="operator" search={route.useSearch()} navigate={route.useNavigate()} />
    </NamesContext>
  );
}
