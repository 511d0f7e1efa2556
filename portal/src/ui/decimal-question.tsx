import type { DecimalMark } from '@saldo/api';
import { isProblem } from '@saldo/sdk';
import { useI18n } from '../i18n/i18n.tsx';
import { Button } from './button.tsx';
import { Notice } from './states.tsx';

/** Whether the server cannot determine the decimal mark of a file: its numbers have two readings. */
export const isDecimalQuestion = (error: unknown): boolean =>
  isProblem(error) && error.errors.some(({ field, code }) => field === 'decimal' && code === 'required');

/** Asks for the decimal mark of a file. */
export function DecimalQuestion({ onAnswer }: { onAnswer: (decimal: DecimalMark) => void }) {
  const { t } = useI18n();
  const texts = t.common.decimal;
  return (
    <Notice tone="warn">
      <div className="grid gap-2">
        <p>
          <span className="font-medium">{texts.title}</span> {texts.text}
        </p>
        <p className="flex flex-wrap gap-2">
          <Button onClick={() => onAnswer('point')}>{texts.point}</Button>
          <Button onClick={() => onAnswer('comma')}>{texts.comma}</Button>
        </p>
      </div>
    </Notice>
  );
}
