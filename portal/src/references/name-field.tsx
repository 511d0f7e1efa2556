import { LIMITS } from '@saldo/api';
import { useI18n } from '../i18n/i18n.tsx';
import { TextField } from '../ui/form.tsx';

type NameFieldProps = { value: string; onChange: (name: string) => void };

export function NameField({ value, onChange }: NameFieldProps) {
  const { t } = useI18n();
  return (
    <TextField
      name="name"
      label={t.operator.name}
      autoComplete="off"
      maxLength={LIMITS.nameLength}
      value={value}
      onChange={onChange}
    />
  );
}
