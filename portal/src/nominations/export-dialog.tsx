import { EXPORT_FORMATS } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { given } from '../session/lists.ts';
import { reader } from '../session/reader.ts';
import { Button } from '../ui/button.tsx';
import { BYTE_ORDER_MARK, germanCsv } from '../ui/csv.ts';
import { deliveryRange } from '../ui/delivery-period.ts';
import { Dialog } from '../ui/dialog.tsx';
import { download } from '../ui/download.ts';
import { DateField, Form, FormButtons, SelectField } from '../ui/form.tsx';
import { useToast } from '../ui/toast.tsx';
import { EXPORT_TEXTS } from './export-texts.ts';

/** Exports have no other characters. */
const ASCII = new TextDecoder('latin1');

const FILE_FORMATS = ['german_csv', ...EXPORT_FORMATS] as const;
type FileFormat = (typeof FILE_FORMATS)[number];

type Subject = 'transactions' | 'nominations';

type Props = {
  /** The day that the page shows. */
  day: DeliveryDay;
  /** What can be exported, the default first, each with the filters of the page. */
  filters: Readonly<Partial<Record<Subject, object>>>;
};

/** Opens the export of whole days in the formats of the API. */
export function ExportDaysButton(props: Props) {
  const { format } = useI18n();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button icon="download" title={EXPORT_TEXTS[format.language].hint} onClick={() => setIsOpen(true)}>
        {EXPORT_TEXTS[format.language].button}
      </Button>
      {isOpen && <ExportDialog {...props} onClose={() => setIsOpen(false)} />}
    </>
  );
}

const subjectsOf = (filters: Props['filters']) => Object.keys(filters) as Subject[];

function ExportDialog({ day, filters, onClose }: Props & { onClose: () => void }) {
  const { format } = useI18n();
  const texts = EXPORT_TEXTS[format.language];
  const toast = useToast();
  const subjects = subjectsOf(filters);
  const [subject, setSubject] = useState(subjects[0] ?? 'transactions');
  const [fileFormat, setFileFormat] = useState<FileFormat>(
    format.csvForm === 'german' ? 'german_csv' : 'csv',
  );
  const [first, setFirst] = useState(day);
  const [last, setLast] = useState(day);
  const [bytes, setBytes] = useState(0);
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);
  const run = useMutation({
    mutationFn: saveExport,
    onSuccess: (received) => {
      toast(texts.done(format.bytes(received)));
      onClose();
    },
  });
  const submit = () => {
    setBytes(0);
    running.current = new AbortController();
    run.mutate({
      subject,
      query: { ...given(filters[subject] ?? {}), ...deliveryRange(first, last) },
      fileFormat,
      signal: running.current.signal,
      onBytes: setBytes,
    });
  };
  const isBackwards = first !== '' && last !== '' && last < first;
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <Form error={run.error} fields={['delivery_start', 'delivery_end']} isUnsaved={false} onSubmit={submit}>
        <p className="text-sm text-muted">{texts.text}</p>
        <div className="grid gap-4 sm:grid-cols-2">
          {subjects.length > 1 && (
            <SelectField
              name="subject"
              label={texts.subject}
              value={subject}
              options={subjects.map((value) => ({ value, label: texts.subjects[value] }))}
              onChange={setSubject}
            />
          )}
          <SelectField
            name="format"
            label={texts.format}
            hint={texts.formatHints[fileFormat]}
            value={fileFormat}
            options={FILE_FORMATS.map((value) => ({ value, label: texts.formats[value] }))}
            onChange={setFileFormat}
          />
        </div>
        <div className="grid gap-4 sm:grid-cols-2">
          <DateField name="delivery_start" label={texts.first} value={first} required onChange={setFirst} />
          <DateField
            name="delivery_end"
            label={texts.last}
            value={last}
            required
            error={isBackwards ? texts.backwards : undefined}
            onChange={setLast}
          />
        </div>
        {run.isPending && (
          <p role="status" className="text-sm tabular-nums">
            {texts.received(format.bytes(bytes))}
          </p>
        )}
        <FormButtons
          action={texts.start}
          isBusy={run.isPending}
          disabled={first === '' || last === '' || isBackwards}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  );
}

type Export = {
  readonly subject: Subject;
  readonly query: { readonly delivery_start: string; readonly delivery_end: string };
  readonly fileFormat: FileFormat;
  readonly signal: AbortSignal;
  readonly onBytes: (received: number) => void;
};

/** Reads an export and saves it as a file. Returns its size. */
async function saveExport({ subject, query, fileFormat, signal, onBytes }: Export): Promise<number> {
  const isGerman = fileFormat === 'german_csv';
  const format = isGerman ? 'csv' : fileFormat;
  const file = await reader().exports[subject]({ ...query, format }, { signal });
  const parts: BlobPart[] = isGerman ? [BYTE_ORDER_MARK] : [];
  let received = 0;
  for await (const part of chunksOf(file.body)) {
    parts.push(isGerman ? germanCsv(ASCII.decode(part)) : part);
    received += part.length;
    onBytes(received);
  }
  // Saved at the end only, so that a file is always complete.
  download(file.fileName, parts, file.mediaType);
  return received;
}

/** Not every browser can iterate over a stream. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reading = body.getReader();
  for (;;) {
    const { done, value } = await reading.read();
    if (done) return;
    // The bytes of a response are never shared between threads.
    yield value as Uint8Array<ArrayBuffer>;
  }
}
