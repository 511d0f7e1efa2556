import type { Nomination } from '@saldo/api';
import { addDays, type DeliveryDay } from '@saldo/core/delivery-day.ts';
import { useQuery } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import type { NominationSearch } from '../references/filters.ts';
import { NominationLink } from '../references/links.tsx';
import { Button, buttonClass } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { neighbourQuery } from './queries.ts';

type Props = { nomination: Nomination; day: DeliveryDay; search: NominationSearch };

/** Links to the nominations of the same position on the previous and the next day. */
export function DaySteps(props: Props) {
  return (
    <span className="flex items-center gap-1">
      <DayStep {...props} step={-1} />
      <DayStep {...props} step={1} />
    </span>
  );
}

function DayStep({ nomination, day, search, step }: Props & { step: -1 | 1 }) {
  const { t, format } = useI18n();
  const target = addDays(day, step);
  const { data: neighbour } = useQuery(neighbourQuery(nomination, target));
  const icon = step === -1 ? 'left' : 'right';
  const label = `${step === -1 ? t.common.previousDay : t.common.nextDay}: ${format.dayShort(target)}`;
  const content = (
    <>
      {step === -1 && <Icon name={icon} />}
      {format.dayShort(target)}
      {step === 1 && <Icon name={icon} />}
    </>
  );
  if (!neighbour) {
    const isLoaded = neighbour === null;
    return (
      <Button aria-label={isLoaded ? t.brp.nominations.noneOn(label) : label} disabled>
        {content}
      </Button>
    );
  }
  return (
    <NominationLink
      id={neighbour.id}
      search={search}
      resetScroll={false}
      aria-label={label}
      className={buttonClass()}
    >
      {content}
    </NominationLink>
  );
}
