import { useEffect, useRef, useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { problemText } from '../i18n/problem-text.ts';
import { Button } from './button.tsx';
import { BYTE_ORDER_MARK, type CsvColumn, csvOf } from './csv.ts';
import { download } from './download.ts';
import { useToast } from './toast.tsx';

/** Number of records between two progress updates. */
const PROGRESS_INTERVAL = 100;

type Props<Row> = {
  /** Without extension. */
  fileName: string;
  columns: readonly CsvColumn<Row>[];
  /** All records that match the filters, not only the displayed ones: reads every page. */
  rows: (signal: AbortSignal) => AsyncIterable<Row>;
};

/**
 * Downloads the filtered records. If reading fails, no file is written, so that a file is always complete. Leaving the page
 * aborts the export.
 */
export function ExportButton<Row>({ fileName, columns, rows }: Props<Row>) {
  const { t, format } = useI18n();
  const toast = useToast();
  const [count, setCount] = useState<number | null>(null);
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);
  const run = async () => {
    running.current = new AbortController();
    const { signal } = running.current;
    const collected: Row[] = [];
    setCount(0);
    try {
      for await (const row of rows(signal)) {
        collected.push(row);
        if (collected.length % PROGRESS_INTERVAL === 0) setCount(collected.length);
      }
      signal.throwIfAborted();
      const text = csvOf(columns, collected, format.csvForm);
      download(`${fileName}.csv`, [BYTE_ORDER_MARK, text], 'text/csv;charset=utf-8');
      toast(t.common.exported(format.number(collected.length)));
    } catch (error) {
      if (!signal.aborted) toast(problemText(t, error), 'bad');
    } finally {
      setCount(null);
    }
  };
  return (
    <Button icon="download" title={t.common.exportCsvHint} isBusy={count !== null} onClick={() => void run()}>
      {count === null ? t.common.exportCsv : t.common.exporting(format.number(count))}
    </Button>
  );
}
