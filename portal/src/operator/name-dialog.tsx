import { LIMITS } from '@saldo/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Form, FormButtons, TextField } from '../ui/form.tsx';

type Props<T> = {
  title: string;
  label: string;
  /** The lists in which the new record appears. */
  queryKey: readonly string[];
  create: (name: string) => Promise<T>;
  onMade: (record: T) => void;
  onClose: () => void;
};

/** Makes something that is known by its name alone at first: a BRP, an account. */
export function NameDialog<T>({ title, label, queryKey, create, onMade, onClose }: Props<T>) {
  const { t } = useI18n();
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const creation = useMutation({
    mutationFn: () => create(name),
    onSuccess: async (record) => {
      await queryClient.invalidateQueries({ queryKey });
      onMade(record);
    },
  });
  return (
    <Dialog title={title} onClose={onClose}>
      <Form error={creation.error} fields={['name']} onSubmit={() => creation.mutate()}>
        <TextField
          name="name"
          label={label}
          autoFocus
          autoComplete="off"
          maxLength={LIMITS.nameLength}
          value={name}
          onChange={setName}
        />
        <FormButtons action={t.operator.submit} isBusy={creation.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
