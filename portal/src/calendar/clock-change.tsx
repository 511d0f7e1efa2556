import { type DeliveryDay, ORDINARY_SLOTS, slotCount } from '@saldo/core/delivery-day.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { Notice } from '../ui/states.tsx';

/** Points out the two days of the year with a clock change, which cause most mistakes. */
export function ClockChangeNotice({ day }: { day: DeliveryDay }) {
  const { t } = useI18n();
  const count = slotCount(day);
  if (count === ORDINARY_SLOTS) return null;
  return <Notice tone="warn">{count < ORDINARY_SLOTS ? t.common.clockForward : t.common.clockBack}</Notice>;
}
