import type { DecimalMark } from '@saldo/api';
import type { ImportOptions } from '@saldo/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { usePermission } from '../session/session.ts';
import { Button } from './button.tsx';
import { cx } from './cx.ts';
import { DecimalQuestion, isDecimalQuestion } from './decimal-question.tsx';
import { DropZone } from './drop-zone.tsx';
import { isGzip } from './file-names.ts';
import { Checkbox, FormProblem } from './form.tsx';
import { IMPORT_TEXTS } from './import-texts.ts';
import { Panel } from './page.tsx';
import { Notice } from './states.tsx';
import { useIsMounted } from './use-is-mounted.ts';

type Progress = { readonly bytes: number; readonly totalBytes: number | null };

/** A file to import. The decimal mark is given only in answer to the question. */
type Attempt<F> = {
  readonly file: File;
  readonly format: F;
  readonly isDryRun: boolean;
  readonly decimal?: DecimalMark;
};

type State<F, R> =
  | { readonly step: 'waiting' }
  /** The user wants a dry run first, which files of this format do not have. */
  | { readonly step: 'asked'; readonly attempt: Attempt<F> }
  | { readonly step: 'sending'; readonly attempt: Attempt<F>; readonly progress: Progress }
  | { readonly step: 'done'; readonly attempt: Attempt<F>; readonly result: R }
  | { readonly step: 'failed'; readonly attempt: Attempt<F>; readonly error: unknown }
  | { readonly step: 'cancelled'; readonly attempt: Attempt<F> };

type SendOptions<F> = Omit<ImportOptions, 'format'> & { readonly format: F };

type Props<F, R> = {
  /** The accepted files as text, and as the `accept` attribute of the file input. */
  kinds: string;
  accept: string;
  formatOf: (file: File) => Promise<F>;
  send: (file: File, options: SendOptions<F>) => Promise<R>;
  /** Why files of this format have no dry run; null if they have one. */
  withoutDryRun?: (format: F) => string | null;
  /** Whether the result is that of a dry run, after which the import is worthwhile. */
  isImportable: (result: R) => boolean;
  children: (file: File, result: R, onImport: () => void) => ReactNode;
};

/** Imports a file: dropped or chosen, with an optional dry run first. */
export function FileImport<F, R>(props: Props<F, R>) {
  const { kinds, accept, formatOf, withoutDryRun, isImportable, children } = props;
  const { t, language } = useI18n();
  const texts = IMPORT_TEXTS[language];
  const mayChange = usePermission('member');
  const isMounted = useIsMounted();
  const [isTriedFirst, setIsTriedFirst] = useState(true);
  const { state, setState, send, cancel } = useSending(props);
  const start = async (file: File, isDryRun: boolean) => {
    const format = await formatOf(file);
    if (!isMounted()) return;
    const attempt = { file, format, isDryRun };
    if (isDryRun && withoutDryRun?.(format)) setState({ step: 'asked', attempt });
    else await send(attempt);
  };
  /** A file on its way, or not imported yet. */
  const isUnfinished =
    state.step === 'sending' ||
    state.step === 'asked' ||
    (state.step === 'done' && isImportable(state.result));
  return (
    <>
      <span hidden data-unsaved={isUnfinished || undefined} />
      {!mayChange && <Notice tone="warn">{t.common.readOnlyHint}</Notice>}
      {state.step === 'sending' ? (
        <Sending {...state.attempt} progress={state.progress} onCancel={cancel} />
      ) : (
        mayChange && (
          <Panel>
            <div className="grid gap-3">
              <DropZone
                text={texts.drop}
                choose={texts.choose}
                kinds={kinds}
                accept={accept}
                onFile={(file) => void start(file, isTriedFirst)}
              />
              <Checkbox label={texts.tryFirst} checked={isTriedFirst} onChange={setIsTriedFirst} />
            </div>
          </Panel>
        )
      )}
      {state.step === 'asked' && (
        <Panel
          title={state.attempt.file.name}
          actions={
            <Button
              variant="primary"
              icon="upload"
              onClick={() => void send({ ...state.attempt, isDryRun: false })}
            >
              {texts.importNow}
            </Button>
          }
        >
          <Notice tone="warn">{withoutDryRun?.(state.attempt.format)}</Notice>
        </Panel>
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
        <Notice tone="warn">{state.attempt.isDryRun ? texts.cancelledDryRun : texts.cancelled}</Notice>
      )}
      {state.step === 'done' &&
        children(state.attempt.file, state.result, () => void send({ ...state.attempt, isDryRun: false }))}
    </>
  );
}

/** The state of the page, and what sends a file. Leaving the page cancels the upload. */
function useSending<F, R>({ send: upload }: Props<F, R>) {
  const queryClient = useQueryClient();
  const [state, setState] = useState<State<F, R>>({ step: 'waiting' });
  const sending = useRef<AbortController | null>(null);
  useEffect(() => () => sending.current?.abort(), []);
  const send = async (attempt: Attempt<F>) => {
    const { file, format, isDryRun, decimal } = attempt;
    const controller = new AbortController();
    sending.current = controller;
    const onProgress = (progress: Progress) => setState({ step: 'sending', attempt, progress });
    onProgress({ bytes: 0, totalBytes: file.size });
    try {
      const result = await upload(file, {
        format,
        isGzip: isGzip(file),
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
        controller.signal.aborted ? { step: 'cancelled', attempt } : { step: 'failed', attempt, error },
      );
    } finally {
      if (!isDryRun) await queryClient.invalidateQueries();
    }
  };
  return { state, setState, send, cancel: () => sending.current?.abort() };
}

type SendingProps = Pick<Attempt<unknown>, 'file' | 'isDryRun'> & {
  progress: Progress;
  onCancel: () => void;
};

function Sending({ file, isDryRun, progress, onCancel }: SendingProps) {
  const { t, format, language } = useI18n();
  const texts = IMPORT_TEXTS[language];
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

/** Explains the form of the files, with examples. */
export function FormatHelp({ text, examples }: { text: string; examples: readonly string[] }) {
  const { language } = useI18n();
  return (
    <details className="rounded-lg bg-surface px-4 py-2.5 text-sm">
      <summary className="font-medium">{IMPORT_TEXTS[language].help}</summary>
      <div className="mt-2 grid gap-3 text-muted">
        <p>{text}</p>
        {examples.map((example) => (
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
