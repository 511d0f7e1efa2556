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
  kind?: 'csv' | 'xml';
  /** Called with the text of the file after it was saved. */
  onSaved?: (text: string) => Promise<void>;
  isPrimary?: boolean;
};

/** Downloads a file of volumes that the server generates. */
export function DownloadButton({
  label,
  hint,
  fileName,
  read,
  kind = 'csv',
  onSaved,
  isPrimary = false,
}: Props) {
  const { t, format } = useI18n();
  const toast = useToast();
  const [isBusy, setIsBusy] = useState(false);
  const run = async () => {
    setIsBusy(true);
    try {
      const text = await read();
      const name = `${fileName}.${kind}`;
      if (kind === 'xml') download(name, [text], 'application/xml;charset=utf-8');
      else {
        const parts = format.csvForm === 'german' ? [BYTE_ORDER_MARK, germanCsv(text)] : [text];
        download(name, parts, 'text/csv;charset=utf-8');
      }
      toast(t.common.downloaded(name));
      await onSaved?.(text);
    } catch (error) {
      toast(problemText(t, error), 'bad');
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Button
      variant={isPrimary ? 'primary' : 'secondary'}
      icon="download"
      title={hint}
      isBusy={isBusy}
      onClick={() => void run()}
    >
      {label}
    </Button>
  );
}
