import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { problemText } from '../i18n/problem-text.ts';
import { Button } from './button.tsx';
import { BYTE_ORDER_MARK, germanCsv } from './csv.ts';
import { download } from './download.ts';
import { useToast } from './toast.tsx';

type Props = Omit<Saving, 'read'> & {
  label: string;
  hint: string;
  /** Without extension. */
  fileName: string;
  read: () => Promise<string>;
  isPrimary?: boolean;
};

type Saving = {
  /** The file: its name without extension, and its text. */
  read: () => Promise<{ name: string; text: string }>;
  kind?: 'csv' | 'xml';
  /** Called with the text of the file after it was saved. */
  onSaved?: ((text: string) => Promise<void>) | undefined;
};

/** Downloads a file of volumes that the server generates, and reports how it went. */
export function useDownload(): (saving: Saving) => Promise<void> {
  const { t, format } = useI18n();
  const toast = useToast();
  return async ({ read, kind = 'csv', onSaved }) => {
    try {
      const { name, text } = await read();
      const file = `${name}.${kind}`;
      if (kind === 'xml') download(file, [text], 'application/xml;charset=utf-8');
      else {
        const parts = format.csvForm === 'german' ? [BYTE_ORDER_MARK, germanCsv(text)] : [text];
        download(file, parts, 'text/csv;charset=utf-8');
      }
      toast(t.common.downloaded(file));
      await onSaved?.(text);
    } catch (error) {
      toast(problemText(t, error), 'bad');
    }
  };
}

/** A button that downloads such a file. */
export function DownloadButton({
  label,
  hint,
  fileName,
  read,
  kind = 'csv',
  onSaved,
  isPrimary = false,
}: Props) {
  const save = useDownload();
  const [isBusy, setIsBusy] = useState(false);
  const run = async () => {
    setIsBusy(true);
    await save({ read: async () => ({ name: fileName, text: await read() }), kind, onSaved });
    setIsBusy(false);
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
