import { useI18n } from '../i18n/i18n.tsx';
import { Button } from '../ui/button.tsx';
import { useCopy } from '../ui/copy.tsx';
import { download } from '../ui/download.ts';
import { Notice } from '../ui/states.tsx';
import { FACTOR_TEXTS } from './factor-texts.ts';

/** The only time that recovery codes are shown. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const { format } = useI18n();
  const texts = FACTOR_TEXTS[format.language];
  const text = `${codes.join('\n')}\n`;
  const { isCopied, copy } = useCopy(text);
  return (
    <div className="grid gap-4">
      <Notice tone="warn">{texts.recoveryOnce}</Notice>
      <ul
        aria-label={texts.recoveryTitle}
        className="grid grid-cols-[repeat(auto-fit,minmax(12rem,1fr))] gap-x-6 gap-y-1 rounded-md border border-line bg-sunken p-3 font-mono text-sm whitespace-nowrap"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <p className="text-sm text-muted">{texts.recoveryUse}</p>
      <div className="flex flex-wrap gap-2">
        <Button icon={isCopied ? 'check' : 'copy'} onClick={copy}>
          {isCopied ? texts.copied : texts.copyAll}
        </Button>
        <Button
          icon="download"
          onClick={() => download(`${texts.fileName}.txt`, [text], 'text/plain;charset=utf-8')}
        >
          {texts.download}
        </Button>
      </div>
      <Button variant="primary" onClick={onDone}>
        {texts.stored}
      </Button>
    </div>
  );
}
