import type { Nomination } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { brpClient } from '../session/brp-client.ts';
import { useSession } from '../session/session.ts';
import { DownloadButton } from '../ui/download-button.tsx';
import { useToast } from '../ui/toast.tsx';
import { MessageButton } from './message-dialog.tsx';
import { nominationsIn, useRecordStep } from './own-schedules.ts';
import { OWN_TEXTS } from './own-texts.ts';

/** Records the versions in a saved file as loaded. */
function useLoaded() {
  const { format } = useI18n();
  const toast = useToast();
  const record = useRecordStep();
  return async (csv: string, fileName: string): Promise<void> => {
    toast(OWN_TEXTS[format.language].loaded(fileName));
    await record('loaded', nominationsIn(csv));
  };
}

type Version = Pick<Nomination, 'id' | 'eic' | 'tso' | 'direction' | 'version'>;
type SaveProps = { nomination: Version; day: DeliveryDay; label: string; hint: string; isPrimary?: boolean };

/** Downloads a BRP's own side of a nomination as CSV. */
export function SaveScheduleButton({ nomination, day, ...rest }: SaveProps) {
  const { id, eic, tso, direction, version } = nomination;
  return (
    <DownloadButton
      {...rest}
      fileName={`${day}_${eic}_${tso}_${direction}_v${version}`}
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
export function DayScheduleButton({ day }: { day: DeliveryDay }) {
  const { t } = useI18n();
  return (
    <DownloadButton
      label={t.brp.nominations.scheduleCsv}
      hint={t.brp.nominations.dayScheduleHint}
      fileName={day}
      read={() => brpClient.nominations.daySchedule({ delivery_date: day })}
      onSaved={useLoaded()}
    />
  );
}
