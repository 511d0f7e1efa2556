import type { DecimalMark, ScheduleCheck } from '@saldo/api';
import { useMutation } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { useRecordStep } from '../nominations/own-schedules.ts';
import { equalIds, formatOfFile, totalsOfCheck } from '../nominations/schedule-check.ts';
import { SCHEDULE_TEXTS } from '../nominations/schedule-texts.ts';
import { brpClient } from '../session/brp-client.ts';
import { DecimalQuestion, isDecimalQuestion } from '../ui/decimal-question.tsx';
import { DropZone } from '../ui/drop-zone.tsx';
import { useDroppedFile } from '../ui/dropped-file.ts';
import { FormProblem } from '../ui/form.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { Notice } from '../ui/states.tsx';
import { CheckActions } from './check-actions.tsx';
import { CheckFindings } from './check-findings.tsx';
import { CheckResult } from './check-result.tsx';

/** A file to check. The decimal mark is given only in answer to the question. */
type Attempt = { readonly file: File; readonly decimal?: DecimalMark };

/** Checks a schedule before it is sent to the TSO: what the TSO would reject, and what differs from the nominations. */
export function CheckPage() {
  const { t, format } = useI18n();
  const texts = SCHEDULE_TEXTS[format.language].check;
  const record = useRecordStep();
  const check = useMutation({
    mutationFn: async ({ file, ...options }: Attempt) =>
      brpClient.schedules.check(file, { format: await formatOfFile(file), ...options }),
    onSuccess: (checked) => record('checked', equalIds(checked)),
  });
  const { mutate } = check;
  useDroppedFile(useCallback((file: File) => mutate({ file }), [mutate]));
  const file = check.variables?.file;
  const name = file?.name ?? '';
  const isQuestion = isDecimalQuestion(check.error);
  return (
    <Page title={t.schedule.check.title} text={texts.text}>
      <Panel>
        <div className="grid gap-3" aria-live="polite">
          <DropZone
            text={check.isPending ? texts.checking(name) : texts.drop}
            choose={texts.choose}
            kinds={texts.kinds}
            accept=".csv,.tsv,.txt,.xml,text/csv,application/xml,text/xml"
            isSmall={check.data !== undefined}
            isBusy={check.isPending}
            onFile={(chosen) => check.mutate({ file: chosen })}
          />
          {isQuestion && file && <DecimalQuestion onAnswer={(decimal) => check.mutate({ file, decimal })} />}
          {check.isError && !isQuestion && (
            <div className="grid gap-1">
              <p className="text-sm font-medium">{texts.unusable(name)}</p>
              <FormProblem error={check.error} />
            </div>
          )}
          {check.data && <Summary name={name} check={check.data} />}
          {check.data && file && <CheckActions key={check.submittedAt} file={file} check={check.data} />}
        </div>
      </Panel>
      {check.data && check.data.rules.length > 0 && <CheckFindings check={check.data} />}
      {check.data && <CheckResult key={check.submittedAt} check={check.data} />}
    </Page>
  );
}

function Summary({ name, check }: { name: string; check: ScheduleCheck }) {
  const { format } = useI18n();
  const texts = SCHEDULE_TEXTS[format.language].check;
  const { slots, different, missing, unknown, broken, isEqual } = totalsOfCheck(check);
  const faults = [
    ...(broken > 0 ? [texts.broken(broken)] : []),
    ...(different > 0 ? [texts.different(different)] : []),
    ...(missing > 0 ? [texts.missingCount(missing)] : []),
    ...(unknown > 0 ? [texts.unknownCount(unknown)] : []),
  ];
  const { message_version: version } = check;
  return (
    <Notice tone={isEqual && broken === 0 ? 'ok' : faults.length > 0 ? 'bad' : 'warn'}>
      <div className="grid gap-1">
        <p className="font-medium">
          {[
            texts.result(name, format.dayLong(check.delivery_date)),
            ...(version === null ? [] : [texts.version(version)]),
          ].join(' · ')}
        </p>
        {isEqual && <p>{broken > 0 ? texts.allSame(slots) : texts.allEqual(slots)}</p>}
        {faults.length > 0 && <p>{`${faults.join(', ')}.`}</p>}
        {!isEqual && faults.length === 0 && <p>{texts.nothing}</p>}
        {check.ignored > 0 && <p>{texts.ignored(check.ignored)}</p>}
        {check.ignored === 0 && <p>{texts.notNetted}</p>}
      </div>
    </Notice>
  );
}
