import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { problemText } from '../i18n/problem-text.ts';
import { Button } from './button.tsx';
import { BYTE_ORDER_MARK, germanCsv } from './csv.ts';
import { download } from './download.ts';
import { useToast } from './toast.tsx';

type Props = {
  label: string;
  hint: string;
  /** Without extension. */
  fileName: string;
  read: () => Promise<string>;
};

/** Downloads a CSV file of volumes that the server generates. */
export function DownloadButton({ label, hint, fileName, read }: Props) {
  const { t, format } = useI18n();
  const toast = useToast();
  const [isBusy, setIsBusy] = useState(false);
  const run = async () => {
    setIsBusy(true);
    try {
      const text = await read();
      const parts = format.csvForm === 'german' ? [BYTE_ORDER_MARK, germanCsv(text)] : [text];
      download(`${fileName}.csv`, parts, 'text/csv;charset=utf-8');
      toast(t.common.downloaded(`${fileName}.csv`));
    } catch (error) {
      toast(problemText(t, error), 'bad');
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Button icon="download" title={hint} isBusy={isBusy} onClick={() => void run()}>
      {label}
    </Button>
  );
}
