import type { ScheduleCheck } from '@saldo/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { OWN_SCHEDULES } from '../nominations/own-schedules.ts';
import { differingIds, equalIds, messageFormatOf, withoutHeader } from '../nominations/schedule-check.ts';
import { SCHEDULE_TEXTS } from '../nominations/schedule-texts.ts';
import { brpClient } from '../session/brp-client.ts';
import { invalidate } from '../session/invalidate.ts';
import { usePermission } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { DownloadButton } from '../ui/download-button.tsx';
import { FormProblem } from '../ui/form.tsx';
import { Notice } from '../ui/states.tsx';

type Props = { file: File; check: ScheduleCheck };

/** Ids of one request, whose address is limited. */
const IDS_AT_ONCE = 100;

/** What follows a check: the right series to load, and the file to remember. */
export function CheckActions({ file, check }: Props) {
  const { format } = useI18n();
  const texts = SCHEDULE_TEXTS[format.language].check;
  const queryClient = useQueryClient();
  const maySubmit = usePermission('member');
  const submit = useMutation({
    mutationFn: (submitted: File) => brpClient.schedules.check(submitted, { format: 'xml', submitted: true }),
    onSuccess: () => invalidate(queryClient, OWN_SCHEDULES),
  });
  const { message_version: version } = check;
  const isMessage = version !== null;
  const ids = differingIds(check);
  if (ids.length === 0 && !(isMessage && maySubmit)) return null;
  const position = check.compared[0] ?? check.unknown[0];
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-center gap-2">
        {ids.length > 0 && (
          <DownloadButton
            label={texts.loadDifferent}
            hint={texts.loadDifferentHint}
            fileName={`${check.delivery_date}_${texts.differentFile}`}
            kind={isMessage && position ? 'xml' : 'csv'}
            read={() =>
              isMessage && position
                ? readMessage(file, check.delivery_date, position, version, ids)
                : readCsv(check.delivery_date, ids)
            }
          />
        )}
        {isMessage && maySubmit && (
          <Button
            isBusy={submit.isPending}
            disabled={submit.isSuccess}
            title={texts.submittedHint}
            onClick={() => submit.mutate(file)}
          >
            {texts.submitted}
          </Button>
        )}
      </div>
      {submit.isError && <FormProblem error={submit.error} />}
      {submit.isSuccess && version !== null && (
        <Notice tone="ok">{texts.submittedDone(version, equalIds(submit.data).length)}</Notice>
      )}
    </div>
  );
}

async function readMessage(
  file: File,
  day: string,
  { eic, tso }: Pick<ScheduleCheck['unknown'][number], 'eic' | 'tso'>,
  version: number,
  ids: readonly string[],
): Promise<string> {
  return brpClient.nominations.daySchedule({
    delivery_date: day,
    eic,
    tso,
    format: await messageFormatOf(file),
    message_version: version,
    nomination_ids: ids.join(','),
  });
}

async function readCsv(day: string, ids: readonly string[]): Promise<string> {
  const parts: string[] = [];
  for (let at = 0; at < ids.length; at += IDS_AT_ONCE) {
    const nomination_ids = ids.slice(at, at + IDS_AT_ONCE).join(',');
    const text = await brpClient.nominations.daySchedule({ delivery_date: day, nomination_ids });
    parts.push(at === 0 ? text : withoutHeader(text));
  }
  return parts.join('');
}
