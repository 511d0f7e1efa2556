import type { ImportResult } from '@saldo/api';
import { useI18n } from '../i18n/i18n.tsx';
import { Badge } from './badge.tsx';
import { Button } from './button.tsx';
import { memberColumns } from './csv.ts';
import { cx } from './cx.ts';
import { ExportButton } from './export.tsx';
import { IMPORT_TEXTS } from './import-texts.ts';
import { Fact, Facts, Panel } from './page.tsx';
import { Notice } from './states.tsx';
import { type Column, DataTable } from './table.tsx';

/** Imports of volumes and of values differ in what an incomplete day belongs to. */
type Imported = Omit<ImportResult, 'incomplete_days'>;
type IncompleteDay = { readonly of: string; readonly delivery_date: string; readonly missing: number };
type Incomplete = {
  readonly count: number;
  readonly days: readonly IncompleteDay[];
  /** What a day belongs to, and the explanation of all or of the first days. */
  readonly ofLabel: string;
  readonly text: string;
  readonly onlyFirst: (listed: string, all: string) => string;
};

type Props = {
  file: File;
  result: Imported;
  incomplete: Incomplete;
  /** What an import has changed. */
  hasHappened: (created: string, corrected: string) => string;
  onImport: () => void;
};

/** Whether a dry run found something to import. */
export const isWorthwhile = ({ dry_run, created, corrected }: Imported): boolean =>
  dry_run && created + corrected > 0;

/** The result of an import or of its dry run: counts, rejected lines and incomplete days. */
export function ImportedFile({ file, result, incomplete, hasHappened, onImport }: Props) {
  const { format, language } = useI18n();
  const texts = IMPORT_TEXTS[language];
  const hasFaults = result.rejected_lines > 0;
  const changed = [format.number(result.created), format.number(result.corrected)] as const;
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
          isWorthwhile(result) && (
            <Button variant="primary" icon="upload" onClick={onImport}>
              {hasFaults ? texts.importRest : texts.importNow}
            </Button>
          )
        }
      >
        <div className="grid gap-4">
          <Notice tone={hasFaults ? 'warn' : 'ok'}>
            {result.dry_run ? texts.wouldHappen(...changed) : hasHappened(...changed)}
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
            <Fact label={texts.incompleteDays}>{format.number(incomplete.count)}</Fact>
          </Facts>
        </div>
      </Panel>
      {hasFaults && <Rejections file={file} result={result} />}
      {incomplete.count > 0 && <IncompleteDays {...incomplete} />}
    </>
  );
}

type Rejection = ImportResult['rejected'][number];
const REJECTION_COLUMNS = memberColumns<Rejection>('line', 'code', 'message');

function Rejections({ file, result }: { file: File; result: Imported }) {
  const { format, language } = useI18n();
  const texts = IMPORT_TEXTS[language];
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

function IncompleteDays({ count, days, ofLabel, text, onlyFirst }: Incomplete) {
  const { format, language } = useI18n();
  const texts = IMPORT_TEXTS[language];
  const columns: readonly Column<IncompleteDay>[] = [
    { id: 'of', header: ofLabel, cell: ({ of }) => of },
    { id: 'day', header: texts.day, cell: ({ delivery_date }) => format.day(delivery_date) },
    { id: 'missing', header: texts.missing, isNumber: true, cell: ({ missing }) => format.number(missing) },
  ];
  return (
    <Panel
      title={texts.incompleteDays}
      text={days.length < count ? onlyFirst(format.number(days.length), format.number(count)) : text}
      isFlush
    >
      <DataTable
        label={texts.incompleteDays}
        columns={columns}
        rows={days}
        rowKey={({ of, delivery_date }) => `${delivery_date}${of}`}
        isTall
      />
    </Panel>
  );
}
