import { LIMITS } from '@saldo/api';
import type { ReactNode } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { Button } from '../ui/button.tsx';
import { Form, FormButtons, TextField } from '../ui/form.tsx';
import { useInput } from '../ui/use-input.ts';
import { FACTOR_TEXTS } from './factor-texts.ts';

type Props = {
  action: string;
  error: unknown;
  isBusy: boolean;
  onSubmit: (code: string) => void;
  label?: string;
  hint?: ReactNode;
  /** Only digits are expected: phones show their keys. */
  isNumeric?: boolean;
  /** The form is in a dialog that can be closed. */
  onClose?: () => void;
};

const EMPTY = { code: '' };

/** Asks for a code of the second factor. */
export function CodeForm({ action, error, isBusy, onSubmit, label, hint, isNumeric, onClose }: Props) {
  const { format } = useI18n();
  const { input, set } = useInput(EMPTY);
  return (
    <Form error={error} fields={['code']} isUnsaved={false} onSubmit={() => onSubmit(input.code)}>
      <TextField
        name="code"
        label={label ?? FACTOR_TEXTS[format.language].code}
        hint={hint}
        autoComplete="one-time-code"
        inputMode={isNumeric ? 'numeric' : 'text'}
        maxLength={LIMITS.factorCodeLength}
        autoFocus
        value={input.code}
        onChange={(code) => set({ code })}
      />
      {onClose ? (
        <FormButtons action={action} isBusy={isBusy} onClose={onClose} />
      ) : (
        <Button type="submit" variant="primary" isBusy={isBusy}>
          {action}
        </Button>
      )}
    </Form>
  );
}
