import { getRouteApi } from '@tanstack/react-router';
import { NominationById } from './nomination.tsx';
import { choicesOf } from '../ui/address.ts';

const route = getRouteApi('/app/operator/nominations/$nominationId');

/** A nomination of any BRP, as its BRP sees it. */
export function NominationPage() {
  const { nominationId } = route.useParams();
  return <NominationById id={nominationId} {...choicesOf(route.useSearch(), route.useNavigate())} />;
}
