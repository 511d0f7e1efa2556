import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { keysQuery } from '../brp/queries.ts';
import { Activity } from './activity.tsx';
import { NamesContext } from './names.ts';

const route = getRouteApi('/app/brp/activity');

export function ActivityPage() {
  const { data: keys } = useQuery({ ...keysQuery, refetchInterval: false });
  const names = {
    ofKey: (id: string) => keys?.find((key) => key.id === id)?.name,
  };
  return (
    <NamesContext value={names}>
      <Activity role="brp" search={route.useSearch()} navigate={route.useNavigate()} />
    </NamesContext>
  );
}
