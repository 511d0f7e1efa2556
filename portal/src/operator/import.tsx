import type { DecimalMark, ImportResult } from '@saldo/api';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { memberColumns } from '../domain/csv.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { useMayManage } from '../session/session.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { DecimalQuestion, isDecimalQuestion } from '../ui/decimal-question.tsx';
import { DropZone } from '../ui/drop-zone.tsx';
import { ExportButton } from '../ui/export.tsx';
import { Checkbox, FormProblem } from '../ui/form.tsx';
import { Fact, Facts, Page, Panel } from '../ui/page.tsx';
import { Notice } from '../ui/states.tsx';
import { type Column, DataTable } from '../ui/table.tsx';

type Progress = { readonly bytes: number; readonly totalBytes: number | null };

/** A file to import. The decimal mark is given only in answer to the question. */
type Attempt = { readonly file: File; readonly isDryRun: boolean; readonly decimal?: DecimalMark };

type State =
  | { readonly step: 'waiting' }
  | { readonly step: 'sending'; readonly file: File; readonly isDryRun: boolean; readonly progress: Progress }
  | { readonly step: 'done'; readonly attempt: Attempt; readonly result: ImportResult }
  | { readonly step: 'failed'; readonly attempt: Attempt; readonly error: unknown }
  | { readonly step: 'cancelled'; readonly file: File; readonly isDryRun: boolean };

/** A file on its way, or checked in a dry run and not imported yet. */
const isUnfinished = (state: State): boolean =>
  state.step === 'sending' || (state.step === 'done' && state.result.dry_run && isWorthwhile(state.result));

const isWorthwhile = ({ created, corrected }: ImportResult): boolean => created + corrected > 0;

const formatOfFile = ({ name }: File) => (/\.(?:ndjson|jsonl)(?:\.gz)?$/i.test(name) ? 'ndjson' : 'csv');

/** Imports volumes from a file: dropped or chosen, with an optional dry run first, stored day by day. */
export function ImportPage() {
  const { t } = useI18n();
  const texts = t.operator.import;
  const mayManage = useMayManage();
  const queryClient = useQueryClient();
  const [state, setState] = useState<State>({ step: 'waiting' });
  const [isTriedFirst, setIsTriedFirst] = useState(true);
  const sending = useRef<AbortController | null>(null);
  useEffect(() => () => sending.current?.abort(), []);

  const send = async (attempt: Attempt) => {
    const { file, isDryRun, decimal } = attempt;
    const controller = new AbortController();
    sending.current = controller;
    const onProgress = (progress: Progress) => setState({ step: 'sending', file, isDryRun, progress });
    onProgress({ bytes: 0, totalBytes: file.size });
    try {
      const result = await operatorClient.volumes.importFile(file, {
        format: formatOfFile(file),
        isGzip: /\.gz$/i.test(file.name),
        dryRun: isDryRun,
        ...(decimal ? { decimal } : {}),
        onProgress,
        signal: controller.signal,
        // Processing a large file takes minutes after its upload.
        timeoutMs: 0,
      });
      setState({ step: 'done', attempt, result });
    } catch (error) {
      setState(
        controller.signal.aborted
          ? { step: 'cancelled', file, isDryRun }
          : { step: 'failed', attempt, error },
      );
    } finally {
      if (!isDryRun) await queryClient.invalidateQueries();
    }
  };
  return (
    <Page title={texts.title} text={texts.text}>
      <span hidden data-unsaved={isUnfinished(state) || undefined} />
      {!mayManage && <Notice tone="warn">{t.common.readOnlyHint}</Notice>}
      {state.step === 'sending' ? (
        <Sending {...state} onCancel={() => sending.current?.abort()} />
      ) : (
        mayManage && (
          <Panel>
            <div className="grid gap-3">
              <DropZone
                text={texts.drop}
                choose={texts.choose}
                kinds={texts.kinds}
                accept=".csv,.ndjson,.jsonl,.gz,text/csv,application/x-ndjson"
                onFile={(file) => void send({ file, isDryRun: isTriedFirst })}
              />
              <Checkbox label={texts.tryFirst} checked={isTriedFirst} onChange={setIsTriedFirst} />
            </div>
          </Panel>
        )
      )}
      {state.step === 'failed' && (
        <Panel title={state.attempt.file.name}>
          {isDecimalQuestion(state.error) ? (
            <DecimalQuestion onAnswer={(decimal) => void send({ ...state.attempt, decimal })} />
          ) : (
            <FormProblem error={state.error} />
          )}
        </Panel>
      )}
      {state.step === 'cancelled' && (
        <Notice tone="warn">{state.isDryRun ? texts.cancelledDryRun : texts.cancelled}</Notice>
      )}
      {state.step === 'done' && (
        <Result
          file={state.attempt.file}
          result={state.result}
          onImport={() => void send({ ...state.attempt, isDryRun: false })}
        />
      )}
      <FormatHelp />
    </Page>
  );
}

type SendingProps = Extract<State, { step: 'sending' }> & { onCancel: () => void };

function Sending({ file, isDryRun, progress, onCancel }: SendingProps) {
  const { t, format } = useI18n();
  const texts = t.operator.import;
  const { bytes, totalBytes } = progress;
  const isSent = totalBytes !== null && bytes >= totalBytes;
  const percent = totalBytes ? Math.floor((bytes / totalBytes) * 100) : 0;
  return (
    <Panel title={isDryRun ? texts.trying(file.name) : texts.importing(file.name)}>
      <div className="grid gap-3">
        <progress
          aria-label={texts.progress}
          className={cx(
            'h-2 w-full appearance-none overflow-hidden rounded bg-line',
            '[&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-accent',
            isSent && 'animate-pulse',
          )}
          max={100}
          value={percent}
        />
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p role="status" className="text-sm text-muted">
            {isSent
              ? texts.working
              : texts.sent(format.bytes(bytes), format.bytes(totalBytes ?? bytes), percent)}
          </p>
          <Button icon="close" onClick={onCancel}>
            {t.common.cancel}
          </Button>
        </div>
      </div>
    </Panel>
  );
}

type Rejection = ImportResult['rejected'][number];
const REJECTION_COLUMNS = memberColumns<Rejection>('line', 'code', 'message');

function Result({ file, result, onImport }: { file: File; result: ImportResult; onImport: () => void }) {
  const { t, format } = useI18n();
  const texts = t.operator.import;
  const hasFaults = result.rejected_lines > 0;
  return (
    <>
      <Panel
        title={
          <span className="flex flex-wrap items-center gap-2">
            {file.name}
            <Badge tone={result.dry_run ? 'accent' : 'ok'}>
              {result.dry_run ? texts.dryRun : texts.imported}
            </Badge>
          </span>
        }
        actions={
          result.dry_run &&
          isWorthwhile(result) && (
            <Button variant="primary" icon="upload" onClick={onImport}>
              {hasFaults ? texts.importRest : texts.importNow}
            </Button>
          )
        }
      >
        <div className="grid gap-4">
          <Notice tone={hasFaults ? 'warn' : 'ok'}>
            {result.dry_run
              ? texts.wouldHappen(format.number(result.created), format.number(result.corrected))
              : texts.hasHappened(format.number(result.created), format.number(result.corrected))}
          </Notice>
          <Facts>
            <Fact label={texts.rows}>{format.number(result.rows)}</Fact>
            <Fact label={texts.created}>{format.number(result.created)}</Fact>
            <Fact label={texts.corrected}>{format.number(result.corrected)}</Fact>
            <Fact label={texts.unchanged}>{format.number(result.unchanged)}</Fact>
            <Fact label={texts.rejectedLines}>
              <span className={cx(hasFaults && 'font-semibold text-bad')}>
                {format.number(result.rejected_lines)}
              </span>
            </Fact>
            <Fact label={texts.rejectedDays}>{format.number(result.rejected_days)}</Fact>
            <Fact label={texts.incompleteDays}>{format.number(result.incomplete_days.count)}</Fact>
          </Facts>
        </div>
      </Panel>
      {hasFaults && <Rejections file={file} result={result} />}
      {result.incomplete_days.count > 0 && <IncompleteDays {...result.incomplete_days} />}
    </>
  );
}

function Rejections({ file, result }: { file: File; result: ImportResult }) {
  const { t, format } = useI18n();
  const texts = t.operator.import;
  const columns: readonly Column<Rejection>[] = [
    { id: 'line', header: texts.line, isNumber: true, cell: ({ line }) => format.number(line) },
    {
      id: 'code',
      header: texts.code,
      cell: ({ code }) => (
        <span className="grid">
          {texts.codes[code]}
          <code className="font-mono text-xs text-muted">{code}</code>
        </span>
      ),
    },
    { id: 'message', header: texts.message, cell: ({ message }) => message },
  ];
  return (
    <Panel
      title={texts.rejected}
      text={
        result.rejected.length < result.rejected_lines
          ? texts.onlyFirst(format.number(result.rejected.length), format.number(result.rejected_lines))
          : texts.rejectedText
      }
      isFlush
      actions={
        <ExportButton
          fileName={`rejected-${file.name.replace(/\.\w+$/, '')}`}
          columns={REJECTION_COLUMNS}
          rows={async function* rows() {
            yield* result.rejected;
          }}
        />
      }
    >
      <DataTable
        label={texts.rejected}
        columns={columns}
        rows={result.rejected}
        rowKey={({ line, code }) => `${line}${code}`}
        isTall
      />
    </Panel>
  );
}

function IncompleteDays({ count, days }: ImportResult['incomplete_days']) {
  const { t, format } = useI18n();
  const texts = t.operator.import;
  const columns: readonly Column<(typeof days)[number]>[] = [
    { id: 'contract', header: texts.contract, cell: ({ contract }) => contract },
    { id: 'day', header: texts.day, cell: ({ delivery_date }) => format.day(delivery_date) },
    { id: 'missing', header: texts.missing, isNumber: true, cell: ({ missing }) => format.number(missing) },
  ];
  return (
    <Panel
      title={texts.incompleteDays}
      text={
        days.length < count
          ? texts.onlyFirstDays(format.number(days.length), format.number(count))
          : texts.incompleteText
      }
      isFlush
    >
      <DataTable
        label={texts.incompleteDays}
        columns={columns}
        rows={days}
        rowKey={({ contract, delivery_date }) => `${delivery_date}${contract}`}
        isTall
      />
    </Panel>
  );
}

const CSV_EXAMPLE = `contract,delivery_date,slot,volume
PPA-2026-0017,2026-10-25,1,1.250
PPA-2026-0017,2026-10-25,2,1.300`;
const NDJSON_EXAMPLE = `{"contract":"PPA-2026-0017","delivery_date":"2026-10-25","slot":1,"volume":1.25}
{"contract":"PPA-2026-0017","delivery_date":"2026-10-26","volumes":[1.25,1.3,null]}`;

function FormatHelp() {
  const { t } = useI18n();
  const texts = t.operator.import;
  return (
    <details className="rounded-lg border border-line bg-surface px-4 py-2.5 text-sm">
      <summary className="font-medium">{texts.help}</summary>
      <div className="mt-2 grid gap-3 text-muted">
        <p>{texts.helpText}</p>
        {[CSV_EXAMPLE, NDJSON_EXAMPLE].map((example) => (
          <pre
            key={example}
            tabIndex={0}
            className="overflow-x-auto rounded bg-sunken p-3 font-mono text-xs text-text"
          >
            {example}
          </pre>
        ))}
      </div>
    </details>
  );
}
