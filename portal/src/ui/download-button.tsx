import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { problemText } from '../i18n/problem-text.ts';
import { Button } from './button.tsx';
import { download } from './download.ts';
import { useToast } from './toast.tsx';

const TYPES = { csv: 'text/csv;charset=utf-8', xml: 'application/xml' };

type Props = {
  label: string;
  hint: string;
  /** Without extension. */
  fileName: string;
  ending: keyof typeof TYPES;
  read: () => Promise<string>;
};

/** Downloads a file that the server generates. */
export function DownloadButton({ label, hint, fileName, ending, read }: Props) {
  const { t } = useI18n();
  const toast = useToast();
  const [isBusy, setIsBusy] = useState(false);
  const run = async () => {
    setIsBusy(true);
    try {
      download(`${fileName}.${ending}`, [await read()], TYPES[ending]);
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
