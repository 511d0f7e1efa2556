import { COVER_MEDIA_TYPES, LIMITS } from '@saldo/api';
import { useMutation } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { DropZone } from '../ui/drop-zone.tsx';
import { FormProblem, TextField } from '../ui/form.tsx';
import { MARKET_TEXTS } from './texts.ts';

type Props = { url: string; onChange: (url: string) => void };

/** An image that is uploaded immediately, or the URL of an existing one. */
export function CoverField({ url, onChange }: Props) {
  const { format } = useI18n();
  const texts = MARKET_TEXTS[format.language].operator;
  const upload = useMutation({
    mutationFn: (file: File) => {
      const mediaType = COVER_MEDIA_TYPES.find((known) => known === file.type);
      // An unknown media type is omitted, because the server checks the content.
      return operatorClient.assets.uploadCover(file, mediaType ? { mediaType } : {});
    },
    onSuccess: ({ cover_url }) => onChange(cover_url),
  });
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1 text-sm font-medium">{texts.cover}</legend>
      <div className={cx('grid gap-3', url !== '' && 'sm:grid-cols-[minmax(0,1fr)_12rem]')}>
        <DropZone
          text={upload.isPending ? texts.uploading(upload.variables.name) : texts.dropCover}
          choose={texts.chooseCover}
          kinds={texts.coverKinds(format.bytes(LIMITS.cover.bytes))}
          accept={COVER_MEDIA_TYPES.join(',')}
          isSmall
          isBusy={upload.isPending}
          onFile={(file) => upload.mutate(file)}
        />
        {url !== '' && (
          <div className="grid content-start gap-2">
            <img
              src={url}
              alt={texts.cover}
              referrerPolicy="no-referrer"
              className="aspect-[16/9] w-full rounded-md border border-line bg-sunken object-cover"
            />
            <Button icon="close" onClick={() => onChange('')}>
              {texts.removeCover}
            </Button>
          </div>
        )}
      </div>
      <FormProblem error={upload.error} />
      <TextField
        name="offer.cover_url"
        type="url"
        label={texts.coverUrl}
        hint={texts.coverUrlHint}
        maxLength={LIMITS.urlLength}
        value={url}
        onChange={onChange}
      />
    </fieldset>
  );
}
