import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { NameField } from '../references/name-field.tsx';
import { useRefresh } from '../session/use-refresh.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Form, FormButtons } from '../ui/form.tsx';
import { useIsMounted } from '../ui/use-is-mounted.ts';

type Props<T> = {
  title: string;
  /** The lists to refresh. */
  queryKey: readonly string[];
  create: (name: string) => Promise<T>;
  onCreated: (record: T) => void;
  onClose: () => void;
};

/** Creates a record that initially has only a name: a BRP or an account. */
export function NameDialog<T>({ title, queryKey, create, onCreated, onClose }: Props<T>) {
  const { t } = useI18n();
  const refresh = useRefresh();
  const isMounted = useIsMounted();
  const [name, setName] = useState('');
  const creation = useMutation({
    mutationFn: (createNow: () => Promise<T>) => createNow(),
    onSuccess: async (record) => {
      await refresh(queryKey);
      if (isMounted()) onCreated(record);
    },
  });
  return (
    <Dialog title={title} onClose={onClose}>
      <Form error={creation.error} fields={['name']} onSubmit={() => creation.mutate(() => create(name))}>
        <NameField value={name} onChange={setName} />
        <FormButtons action={t.operator.submit} isBusy={creation.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
