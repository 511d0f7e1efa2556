import { LIMITS, type Nomination } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { fileNameOf } from '@saldo/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { useGroupNames } from '../references/group-name.tsx';
import { brpClient } from '../session/brp-client.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { download } from '../ui/download.ts';
import { Form, FormButtons, SelectField, TextField } from '../ui/form.tsx';
import { useToast } from '../ui/toast.tsx';
import { useIsMounted } from '../ui/use-is-mounted.ts';
import { EXPORT_TEXTS } from './export-texts.ts';
import { useRecordStep } from './own-schedules.ts';
import { SCHEDULE_TEXTS } from './schedule-texts.ts';

type Position = Pick<Nomination, 'eic' | 'tso'>;

type Props = {
  day: DeliveryDay;
  /** Nominations of the day; each of their balance groups and TSOs has a message. */
  nominations: readonly Nomination[];
};

const FORMATS = ['ess', 'cim'] as const;

/** Opens the download of a complete schedule message of the BRP's own side. */
export function MessageButton({ day, nominations }: Props) {
  const { format } = useI18n();
  const [isOpen, setIsOpen] = useState(false);
  const positions = new Map(nominations.map(({ eic, tso }) => [`${eic} ${tso}`, { eic, tso }]));
  return (
    <>
      <Button
        icon="download"
        title={SCHEDULE_TEXTS[format.language].message.hint}
        disabled={positions.size === 0}
        onClick={() => setIsOpen(true)}
      >
        {SCHEDULE_TEXTS[format.language].message.button}
      </Button>
      {isOpen && (
        <MessageDialog
          day={day}
          positions={positions}
          nominations={nominations}
          onClose={() => setIsOpen(false)}
        />
      )}
    </>
  );
}

type DialogProps = {
  day: DeliveryDay;
  positions: ReadonlyMap<string, Position>;
  nominations: readonly Nomination[];
  onClose: () => void;
};

type Message = Parameters<typeof brpClient.nominations.daySchedule>[0];

/** Reads a schedule message and saves it as a file. Returns its name. */
async function saveMessage(message: Message): Promise<string> {
  let fileName = '';
  const text = await brpClient.nominations.daySchedule(message, {
    onResponse: (response) => {
      fileName = fileNameOf(response);
    },
  });
  download(fileName, [text], 'application/xml');
  return fileName;
}

function MessageDialog({ day, positions, nominations, onClose }: DialogProps) {
  const { t, format } = useI18n();
  const texts = SCHEDULE_TEXTS[format.language].message;
  const toast = useToast();
  const record = useRecordStep();
  const isMounted = useIsMounted();
  const nameOf = useGroupNames();
  const [chosen, setChosen] = useState(Array.from(positions.keys())[0] ?? '');
  const [fileFormat, setFileFormat] = useState<(typeof FORMATS)[number]>('ess');
  const [version, setVersion] = useState('1');
  const { minimum, maximum } = LIMITS.messageVersion;
  const isVersion = /^\d+$/.test(version) && Number(version) >= minimum && Number(version) <= maximum;
  const position = positions.get(chosen);
  const run = useMutation({
    mutationFn: saveMessage,
    onSuccess: (fileName, { eic, tso }) => {
      toast(texts.done(fileName));
      // Versions that were current before the download: a newer one is in the file at worst, and stays marked as changed.
      const isInFile = (one: Nomination) => one.eic === eic && one.tso === tso && one.status !== 'superseded';
      void record(
        'loaded',
        nominations.filter(isInFile).map(({ id }) => id),
      );
      if (isMounted()) onClose();
    },
  });
  const submit = () => {
    if (!position || !isVersion) return;
    run.mutate({ delivery_date: day, ...position, format: fileFormat, message_version: Number(version) });
  };
  return (
    <Dialog title={texts.title(format.day(day))} onClose={onClose}>
      <Form
        error={run.error}
        fields={['eic', 'format', 'message_version']}
        isUnsaved={false}
        onSubmit={submit}
      >
        <p className="text-sm text-muted">{texts.text}</p>
        <SelectField
          name="eic"
          label={texts.position}
          value={chosen}
          options={Array.from(positions, ([value, { eic, tso }]) => ({
            value,
            label: [nameOf(eic), eic, t.common.tsos[tso]].filter(Boolean).join(' · '),
          }))}
          onChange={setChosen}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            name="format"
            label={EXPORT_TEXTS[format.language].format}
            value={fileFormat}
            options={FORMATS.map((value) => ({ value, label: texts.formats[value] }))}
            onChange={setFileFormat}
          />
          <TextField
            name="message_version"
            label={texts.version}
            hint={texts.versionHint}
            inputMode="numeric"
            value={version}
            required
            error={isVersion ? undefined : texts.versionRange(minimum, maximum)}
            onChange={setVersion}
          />
        </div>
        <FormButtons
          action={EXPORT_TEXTS[format.language].start}
          isBusy={run.isPending}
          disabled={!isVersion}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  );
}
