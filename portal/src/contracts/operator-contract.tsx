import type { Contract, Transaction } from '@saldo/api';
import {
  addDays,
  type DeliveryDay,
  dayOf,
  dayStart,
  formatInstant,
  isDay,
} from '@saldo/core/delivery-day.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ContractBadge } from '../references/badges.tsx';
import { ConflictNotice } from '../ui/conflict.tsx';
import { ContractFacts, NoVolumes } from './contract.tsx';
import { ContractVolumes } from '../transactions/contract-day.tsx';
import { contractQuery } from '../brp/queries.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { useToday } from '../session/server-clock.ts';
import { useMayManage } from '../session/session.ts';
import { changeOf, useChange, type Versioned } from '../session/versions.ts';
import { choicesOf } from '../ui/address.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { DateField, Form, FormButtons } from '../ui/form.tsx';
import { Page, TrailLink } from '../ui/page.tsx';
import { Loaded, Notice, Skeleton } from '../ui/states.tsx';
import { useChangeHandlers } from '../ui/use-change-handlers.ts';
import { useInput } from '../ui/use-input.ts';
import { DayEditor } from '../transactions/day-editor.tsx';
import { InvalidateDialog } from '../transactions/invalidate-dialog.tsx';

const route = getRouteApi('/app/operator/contracts/$contractId');

/** A contract of any BRPs: its terms, its volumes, and their correction. */
export function ContractPage() {
  const { contractId } = route.useParams();
  const query = useQuery(contractQuery(contractId));
  return (
    <Loaded query={query} loading={<Skeleton lines={12} />}>
      {(version) => <ContractView version={version} />}
    </Loaded>
  );
}

type Edited = { readonly day: DeliveryDay; readonly transactions: readonly Transaction[] };

function ContractView({ version }: { version: Versioned<Contract> }) {
  const { record: contract } = version;
  const { t } = useI18n();
  const texts = t.operator.contracts;
  const mayManage = useMayManage();
  const { search, set } = choicesOf(route.useSearch(), route.useNavigate());
  const [isEndAsked, setIsEndAsked] = useState(false);
  const [edited, setEdited] = useState<Edited | null>(null);
  const [wrong, setWrong] = useState<Transaction | null>(null);
  return (
    <Page
      title={contract.external_id}
      trail={<TrailLink to="/operator/contracts" label={t.brp.contracts.title} />}
      badges={<ContractBadge status={contract.status} />}
      actions={
        <>
          <Link to="/operator/audit" search={{ subject: contract.id }} className={buttonClass()}>
            {t.operator.audit.ofThis}
          </Link>
          {mayManage && contract.status !== 'completed' && (
            <Button onClick={() => setIsEndAsked(true)}>{texts.end}</Button>
          )}
        </>
      }
    >
      <ContractFacts contract={contract} />
      {contract.type !== 'ppa' && <NoVolumes />}
      {edited && (
        <DayEditor
          key={edited.day}
          contract={contract}
          day={edited.day}
          transactions={edited.transactions}
          firstSlot={search.slot ?? 1}
          onClose={() => setEdited(null)}
        />
      )}
      {contract.type === 'ppa' && !edited && (
        <ContractVolumes
          contract={contract}
          search={search}
          set={set}
          actions={(day, transactions) =>
            mayManage && (
              <Button icon="edit" onClick={() => setEdited({ day, transactions })}>
                {texts.editDay}
              </Button>
            )
          }
          versionActions={(newest) =>
            mayManage &&
            newest.status === 'valid' && (
              <Button onClick={() => setWrong(newest)}>{t.operator.invalidate.action}</Button>
            )
          }
        />
      )}
      {wrong && <InvalidateDialog transaction={wrong} onClose={() => setWrong(null)} />}
      {isEndAsked && <EndDialog version={version} onClose={() => setIsEndAsked(false)} />}
    </Page>
  );
}

/** Ends the delivery after a day. Volumes of later days are removed from every saldo. */
function EndDialog({ version, onClose }: { version: Versioned<Contract>; onClose: () => void }) {
  const { t, format } = useI18n();
  const texts = t.operator.contracts;
  const { id, external_id } = version.record;
  const today = useToday();
  const [openedOn] = useState(today);
  const inputOf = ({ delivery_end: end }: Contract) => ({
    isOpenEnded: end === null,
    lastDay: end === null ? openedOn : dayOf(Date.parse(end) - 1),
  });
  const { input, set, isUnsaved, started, reset } = useInput(inputOf(version.record));
  const update = useChange(
    useChangeHandlers<Contract>({
      toast: () => t.operator.savedToast(external_id),
      refresh: [['contract', id], ['contracts'], ['nominations']],
      onDone: onClose,
    }),
  );
  const submit = () => {
    const delivery_end = formatInstant(dayStart(addDays(input.lastDay, 1)));
    update.mutate(
      changeOf({
        query: contractQuery(id),
        from: version,
        partOf: inputOf,
        send: (options) => operatorClient.contracts.update(id, { delivery_end }, options),
      }),
    );
  };
  return (
    <Dialog title={texts.endTitle(external_id)} onClose={onClose}>
      <Form error={update.error} fields={['delivery_end']} isUnsaved={isUnsaved} onSubmit={submit}>
        <ConflictNotice
          recordId={id}
          started={started}
          current={inputOf(version.record)}
          describe={({ isOpenEnded, lastDay }) => ({
            [texts.lastDay]: isOpenEnded ? t.brp.contracts.open : format.day(lastDay),
          })}
          onReset={reset}
        />
        <Notice tone="warn">{texts.endText}</Notice>
        <DateField
          name="delivery_end"
          label={texts.lastDay}
          value={input.lastDay}
          onChange={(day) => isDay(day) && set({ lastDay: day })}
        />
        <FormButtons action={texts.end} isBusy={update.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
