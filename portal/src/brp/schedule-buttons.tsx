import type { Nomination } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { brpClient } from '../session/brp-client.ts';
import { useSession } from '../session/session.ts';
import { DownloadButton } from '../ui/download-button.tsx';

/** Downloads a BRP's own side of a nomination in the two formats that a TSO accepts. Only BRPs have one. */
export function ScheduleButtons({ nomination, day }: { nomination: Nomination; day: DeliveryDay }) {
  const { t } = useI18n();
  const texts = t.brp.nominations;
  if (useSession().user.role !== 'brp') return null;
  const { id, eic, tso, direction, version } = nomination;
  const file = { hint: texts.scheduleHint, fileName: `${day}_${eic}_${tso}_${direction}_v${version}` };
  return (
    <>
      <DownloadButton
        {...file}
        label={texts.scheduleCsv}
        ending="csv"
        read={() => brpClient.nominations.schedule(id, { format: 'csv' })}
      />
      <DownloadButton
        {...file}
        label={texts.scheduleEss}
        ending="xml"
        read={() => brpClient.nominations.schedule(id, { format: 'ess' })}
      />
    </>
  );
}

/** The same for all balance groups of a day. */
export function DayScheduleButton({ day }: { day: DeliveryDay }) {
  const { t } = useI18n();
  return (
    <DownloadButton
      label={t.brp.nominations.scheduleCsv}
      hint={t.brp.nominations.dayScheduleHint}
      fileName={day}
      ending="csv"
      read={() => brpClient.nominations.daySchedule({ delivery_date: day })}
    />
  );
}
