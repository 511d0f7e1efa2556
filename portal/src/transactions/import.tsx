import type { ImportResult } from '@saldo/api';
import { useI18n } from '../i18n/i18n.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { FileImport, FormatHelp } from '../ui/file-import.tsx';
import { isNdjson } from '../ui/file-names.ts';
import { ImportedFile, isWorthwhile } from '../ui/import-result.tsx';
import { IMPORT_TEXTS } from '../ui/import-texts.ts';
import { Page } from '../ui/page.tsx';

const EXAMPLES = [
  `contract,delivery_date,slot,volume
PPA-2026-0017,2026-10-25,1,1.250
PPA-2026-0017,2026-10-25,2,1.300`,
  `{"contract":"PPA-2026-0017","delivery_date":"2026-10-25","slot":1,"volume":1.25}
{"contract":"PPA-2026-0017","delivery_date":"2026-10-26","volumes":[1.25,1.3,null]}`,
];

/** Imports volumes from a file, stored day by day. */
export function ImportPage() {
  const { language } = useI18n();
  const texts = IMPORT_TEXTS[language];
  return (
    <Page title={texts.title} text={texts.text}>
      <FileImport
        kinds={texts.kinds}
        accept=".csv,.ndjson,.jsonl,.gz,text/csv,application/x-ndjson"
        formatOf={async (file) => (isNdjson(file) ? 'ndjson' : 'csv')}
        send={operatorClient.volumes.importFile}
        isImportable={isWorthwhile}
      >
        {(file, result, onImport) => <Result file={file} result={result} onImport={onImport} />}
      </FileImport>
      <FormatHelp text={texts.helpText} examples={EXAMPLES} />
    </Page>
  );
}

function Result({ file, result, onImport }: { file: File; result: ImportResult; onImport: () => void }) {
  const { language } = useI18n();
  const texts = IMPORT_TEXTS[language];
  const { count, days } = result.incomplete_days;
  return (
    <ImportedFile
      file={file}
      result={result}
      hasHappened={texts.hasHappened}
      incomplete={{
        count,
        days: days.map(({ contract, ...day }) => ({ of: contract, ...day })),
        ofLabel: texts.contract,
        text: texts.incompleteText,
        onlyFirst: texts.onlyFirstDays,
      }}
      onImport={onImport}
    />
  );
}
