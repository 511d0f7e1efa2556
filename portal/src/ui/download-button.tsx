import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { problemText } from '../i18n/problem-text.ts';
import { Button } from './button.tsx';
import { download } from './download.ts';
import { useToast } from './toast.tsx';

type Props = {
  label: string;
  hint: string;
  /** Without extension. */
  fileName: string;
  read: () => Promise<string>;
};

/** Downloads a CSV file that the server generates. */
export function DownloadButton({ label, hint, fileName, read }: Props) {
  const { t } = useI18n();
  const toast = useToast();
  const [isBusy, setIsBusy] = useState(false);
  const run = async () => {
    setIsBusy(true);
    try {
      download(`${fileName}.csv`, [await read()], 'text/csv;charset=utf-8');
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
