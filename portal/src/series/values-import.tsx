import type { InterchangeResult, ValuesImportResult } from '@saldo/api';
import { Link } from '@tanstack/react-router';
import { operatorClient } from '../session/operator-client.ts';
import { buttonClass } from '../ui/button.tsx';
import { FileImport, FormatHelp } from '../ui/file-import.tsx';
import { ImportedFile, isWorthwhile } from '../ui/import-result.tsx';
import { Page, Panel, TrailLink } from '../ui/page.tsx';
import { Notice } from '../ui/states.tsx';
import { valuesFormatOf } from './file-format.ts';
import { RejectedMessages, UnknownLocations } from './interchange.tsx';
import { InterchangeState } from './interchanges.tsx';
import { useSeriesTexts } from './series-texts.ts';

const EXAMPLES = [
  `series,delivery_date,slot,energy_kwh
51238696781,2026-10-25,1,1250
51238696781,2026-10-25,2,1300.5`,
  `series,kind,delivery_start,power_mw,resolution
51238696781,forecast,2026-10-25T00:00:00Z,5.2,PT60M`,
  `{"series":"51238696781","delivery_date":"2026-10-25","slot":1,"energy_kwh":1250}`,
];

type Result = ValuesImportResult | InterchangeResult;

const isInterchange = (result: Result): result is InterchangeResult => 'messages' in result;

/** Imports values of series from a file: lines, or an MSCONS interchange. */
export function ValuesImportPage() {
  const texts = useSeriesTexts();
  return (
    <Page
      title={texts.import.title}
      text={texts.import.text}
      trail={<TrailLink to="/operator/series" label={texts.title} />}
      actions={
        <Link to="/operator/series/interchanges" className={buttonClass()}>
          {texts.interchange.title}
        </Link>
      }
    >
      <FileImport
        kinds={texts.import.kinds}
        accept=".csv,.ndjson,.jsonl,.gz,.edi,.txt,.mscons,text/csv,text/plain,application/x-ndjson,application/edifact"
        formatOf={valuesFormatOf}
        send={operatorClient.series.importFile}
        withoutDryRun={(format) => (format === 'mscons' ? texts.import.noDryRun : null)}
        isImportable={(result) => !isInterchange(result) && isWorthwhile(result)}
      >
        {(file, result, onImport) =>
          isInterchange(result) ? (
            <ImportedInterchange file={file} result={result} />
          ) : (
            <ImportedValues file={file} result={result} onImport={onImport} />
          )
        }
      </FileImport>
      <FormatHelp text={texts.import.helpText} examples={EXAMPLES} />
    </Page>
  );
}

type ValuesProps = { file: File; result: ValuesImportResult; onImport: () => void };

function ImportedValues({ file, result, onImport }: ValuesProps) {
  const texts = useSeriesTexts();
  const { count, days } = result.incomplete_days;
  return (
    <ImportedFile
      file={file}
      result={result}
      hasHappened={texts.import.hasHappened}
      incomplete={{
        count,
        days: days.map(({ series, ...day }) => ({ of: series, ...day })),
        ofLabel: texts.one,
        text: texts.import.incompleteText,
        onlyFirst: texts.import.onlyFirstDays,
      }}
      onImport={onImport}
    />
  );
}

function ImportedInterchange({ file, result }: { file: File; result: InterchangeResult }) {
  const texts = useSeriesTexts().interchange;
  const { id, messages, rejected_messages: rejected, unknown_locations: unknown } = result;
  return (
    <>
      <Panel
        title={
          <span className="flex flex-wrap items-center gap-2">
            {file.name}
            <InterchangeState state="applied" {...result} />
          </span>
        }
        actions={
          <Link
            to="/operator/series/interchanges/$interchangeId"
            params={{ interchangeId: id }}
            className={buttonClass()}
          >
            {texts.show}
          </Link>
        }
      >
        <Notice tone={rejected > 0 || unknown > 0 ? 'warn' : 'ok'}>
          {texts.applied(messages - rejected, messages)}
        </Notice>
      </Panel>
      <RejectedMessages {...result} />
      <UnknownLocations {...result} />
    </>
  );
}
