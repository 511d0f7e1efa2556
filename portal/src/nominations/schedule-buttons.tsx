import type { Nomination } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { brpClient } from '../session/brp-client.ts';
import { useSession } from '../session/session.ts';
import { DownloadButton } from '../ui/download-button.tsx';
import { MessageButton } from './message-dialog.tsx';
import { nominationsIn, scheduleName, useRecordStep } from './own-schedules.ts';

/** Records the versions in a saved file as loaded. */
function useLoaded() {
  const record = useRecordStep();
  return (csv: string): Promise<void> => record('loaded', nominationsIn(csv));
}

type Version = Pick<Nomination, 'id' | 'eic' | 'tso' | 'direction' | 'version'>;
type SaveProps = { nomination: Version; day: DeliveryDay; label: string; hint: string; isPrimary?: boolean };

/** Downloads a BRP's own side of a nomination as CSV. */
export function SaveScheduleButton({ nomination, day, ...rest }: SaveProps) {
  const { t } = useI18n();
  const { id, eic, tso, direction, version } = nomination;
  return (
    <DownloadButton
      {...rest}
      fileName={`${t.brp.nominations.scheduleFile}_${day}_${eic}_${tso}_${direction}_v${version}`}
      read={() => brpClient.nominations.schedule(id, { format: 'csv' })}
      onSaved={useLoaded()}
    />
  );
}

/** Downloads a BRP's own side of a nomination, as CSV or as a complete message. Only BRPs have one. */
export function ScheduleButtons({ nomination, day }: { nomination: Nomination; day: DeliveryDay }) {
  const { t } = useI18n();
  const texts = t.brp.nominations;
  if (useSession().user.role !== 'brp') return null;
  return (
    <>
      <SaveScheduleButton
        nomination={nomination}
        day={day}
        label={texts.scheduleCsv}
        hint={texts.scheduleHint}
      />
      <MessageButton day={day} nominations={[nomination]} />
    </>
  );
}

/** The same for all balance groups of a day. */
export function DayScheduleButton({
  day,
  nominations,
}: {
  day: DeliveryDay;
  nominations: readonly Nomination[];
}) {
  const { t } = useI18n();
  return (
    <DownloadButton
      label={t.brp.nominations.scheduleCsv}
      hint={t.brp.nominations.dayScheduleHint}
      fileName={scheduleName(t, day, nominations)}
      read={() => brpClient.nominations.daySchedule({ delivery_date: day })}
      onSaved={useLoaded()}
    />
  );
}
