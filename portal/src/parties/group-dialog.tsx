import { TSOS, type Tso } from '@saldo/api';
import { isProblem } from '@saldo/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Dictionary } from '../i18n/dictionary.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { NameField } from '../references/name-field.tsx';
import { ifMatchOf, type ReadOptions, versionedQuery } from '../session/versions.ts';
import { ConflictNotice, type Described } from '../ui/conflict.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { CheckboxGroup, Form, FormButtons } from '../ui/form.tsx';
import { Loaded, Skeleton } from '../ui/states.tsx';
import { useChangeHandlers } from '../ui/use-change-handlers.ts';
import { useOthersChange } from '../ui/use-input.ts';
import type { Group } from './group-table.tsx';

type Saved = { readonly name: string };

/** How a role reads and changes a balance group. */
export type GroupAccess = {
  readonly get: (eic: string, options: ReadOptions) => Promise<Group>;
  readonly save: (
    eic: string,
    settings: { name: string; tsos: Tso[] },
    options: ReturnType<typeof ifMatchOf>,
  ) => Promise<Saved>;
  /** Only the operator changes names. */
  readonly hasName: boolean;
  /** The name of the member in the API of the role. */
  readonly tsosName: 'tsos' | 'enabled_tsos';
};

type DialogProps = { eic: string; title: string; access: GroupAccess; onClose: () => void };

/** The settings of a balance group. */
export function GroupDialog({ eic, title, access, onClose }: DialogProps) {
  const query = useQuery(versionedQuery(['balance-groups', eic], (options) => access.get(eic, options)));
  return (
    <Dialog title={title} onClose={onClose}>
      <Loaded query={query} loading={<Skeleton lines={6} />}>
        {({ record, etag }) => <GroupForm group={record} etag={etag} access={access} onClose={onClose} />}
      </Loaded>
    </Dialog>
  );
}

/** The handlers of a change of a balance group. */
export function useGroupSaved(onClose: () => void) {
  const { t } = useI18n();
  return useChangeHandlers<Saved>({
    toast: ({ name }) => t.operator.savedToast(name),
    refresh: [['balance-groups']],
    onDone: onClose,
  });
}

type FormProps = { group: Group; etag: string | null; access: GroupAccess; onClose: () => void };

function GroupForm({ group, etag, access, onClose }: FormProps) {
  const { t } = useI18n();
  const { hasName, tsosName, save } = access;
  const [name, setName] = useState(group.name);
  const [tsos, setTsos] = useState(group.tsos);
  const update = useMutation({
    mutationFn: (send: () => Promise<Saved>) => send(),
    ...useGroupSaved(onClose),
  });
  const { atTsos, others } = splitInUse(t, update.error);
  const isChangedFrom = (of: Group) => (hasName && name !== of.name) || !areSameTsos(tsos, of.tsos);
  const started = useOthersChange(group, {
    isChangedFrom,
    rebase: (base, stored) => {
      if (name === base.name) setName(stored.name);
      setTsos(rebasedTsos(base.tsos, tsos, stored.tsos));
    },
  });
  return (
    <Form
      error={others}
      fields={['name', tsosName]}
      isUnsaved={isChangedFrom(group)}
      onSubmit={() => update.mutate(() => save(group.eic, { name, tsos: [...tsos] }, ifMatchOf(etag)))}
    >
      <ConflictNotice
        recordId={group.eic}
        started={started}
        current={group}
        describe={describeGroup(t)}
        onReset={() => {
          setName(group.name);
          setTsos(group.tsos);
        }}
      />
      {hasName && <NameField value={name} onChange={setName} />}
      <TsosField name={tsosName} value={tsos} error={atTsos} onChange={setTsos} />
      <FormButtons action={t.common.save} isBusy={update.isPending} onClose={onClose} />
    </Form>
  );
}

type TsosFieldProps = {
  name: 'tsos' | 'enabled_tsos';
  value: readonly Tso[];
  error?: string | undefined;
  onChange: (tsos: readonly Tso[]) => void;
};

export function TsosField(props: TsosFieldProps) {
  const { t } = useI18n();
  return (
    <CheckboxGroup
      {...props}
      label={t.brp.groups.tsos}
      hint={t.brp.groups.tsosHint}
      options={TSOS.map((tso) => ({ value: tso, label: t.common.tsos[tso] }))}
    />
  );
}

/** The TSOs after others have changed the stored ones, with the form's own changes on top. */
const rebasedTsos = (base: readonly Tso[], chosen: readonly Tso[], stored: readonly Tso[]): readonly Tso[] =>
  TSOS.filter((tso) => (chosen.includes(tso) === base.includes(tso) ? stored : chosen).includes(tso));

const areSameTsos = (a: readonly Tso[], b: readonly Tso[]): boolean =>
  new Set(a).symmetricDifference(new Set(b)).size === 0;

/** The settings of a balance group, for a notice of conflict. */
const describeGroup =
  ({ activity: { members }, common }: Dictionary) =>
  ({ name, tsos }: Group): Described => ({
    [members.name]: name,
    [members.tsos]: tsos.map((tso) => common.tsos[tso]).join(', '),
  });

/** Splits the error of an update: TSOs in use are reported at their field, everything else above the form. */
function splitInUse(t: Dictionary, error: unknown): { atTsos: string | undefined; others: unknown } {
  if (!isProblem(error, 'position_in_use')) return { atTsos: undefined, others: error };
  // Only the server's text names the TSOs.
  return { atTsos: `${t.problems.codes.position_in_use} ${error.message}`, others: null };
}
